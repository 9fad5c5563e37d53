"""Data-form queries (section 5)."""

import dataclasses

NAMESPACE = "jabber:x:data"


@dataclasses.dataclass
class FormQuery:
    """`\\{FORM_TYPE}type[index]…\\`; None is any, or no index."""

    form_type: str | None = None
    type: str | None = None
    index: str | None = None


def children(element, name):
    return [child for child in element.children if (child.namespace, child.name) == (NAMESPACE, name)]


def field_of(element, name):
    """The first field of that name, or None."""
    return next((field for field in children(element, "field") if field.attribute(None, "var") == name), None)


def first_value(field):
    """The text of the first value, or None."""
    values = [] if field is None else children(field, "value")
    return values[0].text if values else None


def item_at(form, index):
    """The item at an index, in decimal digits of any number, or None."""
    items, digits = children(form, "item"), index.lstrip("0") or "0"
    if len(digits) > len(str(len(items))) or int(digits) >= len(items):
        return None
    return items[int(digits)]


def lookup(form, name, index=None):
    """The field of a form (5.2, 5.4), and whether it is an item's. The index, if any, is within the bounds."""
    if index is not None:
        return field_of(item_at(form, index), name), True
    field, items = field_of(form, name), children(form, "item")
    return (field_of(items[0], name), True) if field is None and items else (field, False)


def selects(query, element):
    """Whether the element is a form that the query selects (5.1 to 5.3)."""
    return ((element.namespace, element.name) == (NAMESPACE, "x")
            and query.type in (None, element.attribute(None, "type"))
            and query.form_type in (None, first_value(lookup(element, "FORM_TYPE")[0]))
            and (query.index is None or item_at(element, query.index) is not None))


def properties(field):
    """The members of a description that `<reported/>` can give, where the field has them."""
    options = {}
    for option in children(field, "option"):
        text = first_value(option)
        if text is not None:
            label = option.attribute(None, "label")
            options[text] = text if label is None else label
    found = {
        "type": field.attribute(None, "type"), "label": field.attribute(None, "label"), "options": options or None,
        "description": next((each.text for each in children(field, "desc") if each.text), None),
        "required": True if children(field, "required") else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def description(query, form, name):
    """The result of `&field` (5.5): a dictionary, or None."""
    field, is_of_item = lookup(form, name, query.index)
    if field is None:
        return None
    values = [each.text for each in children(field, "value")]
    described = {"name": name, "allValues": values, "options": {}, "required": False}
    reported = [field_of(each, name) for each in children(form, "reported")[:1] if is_of_item]
    for source in filter(None, [*reported, field]):
        described |= properties(source)
    return described | {"value": values[0]} if values else described
