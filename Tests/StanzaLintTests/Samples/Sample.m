// Objective-C code with and without findings.
#import "MLXMLNode.h"

@implementation Sample

-(void) everythingIsRight:(MLXMLNode*) iq with:(NSString*) node {
    [iq find:@"{http://jabber.org/protocol/disco#info}query/feature@var"];
    BOOL complete = [[iq findFirst:@"{urn:xmpp:mam:2}fin@complete|bool"] boolValue];
    if([iq check:@"/<type=error>"]) { return; }
    [iq findFirst:@"{*}query/\\{urn:xmpp:http:upload:0}result@max-file-size\\|int"];
    [iq find:@"/{jabber:client}iq<type=%@>/items<node=%@>", @"result", [node stringByAppendingString:@","]];
    [iq find:@"/<id=%ld%%>", (long)5];
    [iq find:@"{urn:x}" "a" @"/b"];
    [iq find:[NSString stringWithFormat:@"a//b"]];
    [iq find:node];
    [node rangeOfString:@"a//b"];
    [iq find:@"a//b"]; // stanza-lint: ignore
    NSLog(@"[iq find:@\"a//b\"]"); /* [iq find:@"a//b"] */
    char quote = '"';
    if([[iq findFirst:@"{urn:xmpp:mam:2}fin@complete|bool"] boolValue]) { }
    if([iq findFirst:@"{urn:xmpp:mam:2}fin@complete|bool"] != nil) { }
    [self replace:node find:@"some text"];
    node = iq ? find : @"some text";
}

-(void) thisIsWrong:(MLXMLNode*) iq with:(NSString*) node {
    [iq find:@"a//b"]; // expect: syntax
    [iq findFirst:@"a@b|integer"]; // expect: unknownConversion
    [iq find:@"a|int"]; // expect: misplacedConversion
    [iq find:@"a@b/c"]; // expect: misplacedExtraction
    [iq find:@"a<b~(>"]; // expect: invalidRegex
    [iq find:@"/<id=%@>"]; // expect: arguments
    [iq find:@"/<id=%@>", node, node]; // expect: arguments
    [iq find:@"a" @"//b"]; // expect: syntax
    [iq find:@"\\{f}@a\\|nothing"]; // expect: unknownConversion
    [iq check:@"a<type=x><type=y>"]; // expect: contradicting-filters
    [iq check:@"stream:error"]; // expect: colon-in-name
    [iq find:@"body/#"]; // expect: text-of-children
    if([iq check:@"{urn:xmpp:mam:2}fin@complete|bool"]) { } // expect: check-of-bool
    if(![iq findFirst:@"{urn:xmpp:mam:2}fin@complete|bool"]) { } // expect: truth-of-bool
    [iq find:@"x\\@a\\"]; // expect: form-in-x
}

@end
