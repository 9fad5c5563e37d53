// Plots as SVG text: bars on a logarithmic scale, and lines over two logarithmic axes. Small on purpose.

import Foundation

enum Plot {
    /// One bar for each name.
    case bars(unit: String, values: [(name: String, value: Double)])
    /// One line for each series, over the same kind of x.
    case lines(x: String, y: String, series: [(name: String, points: [(x: Double, y: Double)])])

    var svg: String {
        switch self {
        case .bars(let unit, let values): BarPlot(unit: unit, values: values).svg
        case .lines(let x, let y, let series): LinePlot(x: x, y: y, series: series).svg
        }
    }
}

/// Colors that differ in brightness, too.
private let colors = ["#0b6e99", "#d9730d", "#0f7b6c", "#ad1a72", "#6940a5", "#64473a"]

private func text(_ string: String, _ x: Double, _ y: Double, anchor: String = "start") -> String {
    let escaped = string.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    return "<text x='\(round(x))' y='\(round(y))' text-anchor='\(anchor)'>\(escaped)</text>"
}

private func document(width: Int, height: Int, _ body: [String]) -> String {
    """
    <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 \(width) \(height)' width='\(width)' height='\(height)' \
    font-family='sans-serif' font-size='13'>
    <rect width='100%' height='100%' fill='white'/>
    \(body.joined(separator: "\n"))
    </svg>

    """
}

/// A logarithmic axis over whole decades.
private struct LogScale {
    let low: Double
    let high: Double
    let start: Double
    let length: Double

    init(_ values: [Double], start: Double, length: Double) {
        let logarithms = values.filter { $0 > 0 }.map { log10($0) }
        low = (logarithms.min() ?? 0).rounded(.down)
        high = max((logarithms.max() ?? 1).rounded(.up), low + 1)
        self.start = start
        self.length = length
    }

    func position(_ value: Double) -> Double {
        start + (log10(max(value, pow(10, low))) - low) / (high - low) * length
    }

    var decades: [Double] { stride(from: low, through: high, by: 1).map { pow(10, $0) } }

    static func label(_ value: Double) -> String {
        value >= 1e6 ? "\(Int(value / 1e6))M" : value >= 1e3 ? "\(Int(value / 1e3))k" : value.short
    }
}

private struct BarPlot {
    let unit: String
    let values: [(name: String, value: Double)]

    var svg: String {
        let left = 300.0
        let row = 24.0
        let bottom = 30 + row * Double(values.count)
        let scale = LogScale(values.map(\.value), start: left, length: 430)
        var body = [text("\(unit), logarithmic", left, 18)]
        for decade in scale.decades {
            let x = scale.position(decade)
            body.append("<line x1='\(round(x))' x2='\(round(x))' y1='26' y2='\(Int(bottom))' stroke='#ddd'/>")
            body.append(text(LogScale.label(decade), x, bottom + 16, anchor: "middle"))
        }
        for (index, entry) in values.enumerated() {
            let y = 30 + row * Double(index)
            let end = scale.position(entry.value)
            body.append(text(entry.name, left - 8, y + 15, anchor: "end"))
            body.append(
                "<rect x='\(left)' y='\(y + 3)' width='\(round(max(end - left, 1)))' height='\(row - 7)' "
                    + "fill='\(colors[0])'/>")
            body.append(text(entry.value.short, end + 6, y + 15))
        }
        return document(width: 800, height: Int(bottom) + 28, body)
    }
}

private struct LinePlot {
    let x: String
    let y: String
    let series: [(name: String, points: [(x: Double, y: Double)])]

    var svg: String {
        let points = series.flatMap(\.points)
        let horizontal = LogScale(points.map(\.x), start: 70, length: 420)
        let vertical = LogScale(points.map(\.y), start: 330, length: -290)
        var body = [text("\(y) over \(x)", 70, 20)]
        for decade in horizontal.decades {
            let x = horizontal.position(decade)
            body.append("<line x1='\(round(x))' x2='\(round(x))' y1='40' y2='330' stroke='#ddd'/>")
            body.append(text(LogScale.label(decade), x, 348, anchor: "middle"))
        }
        for decade in vertical.decades {
            let y = vertical.position(decade)
            body.append("<line x1='70' x2='490' y1='\(round(y))' y2='\(round(y))' stroke='#ddd'/>")
            body.append(text(LogScale.label(decade), 62, y + 4, anchor: "end"))
        }
        for (index, line) in series.enumerated() {
            let color = colors[index % colors.count]
            let path = line.points.map { "\(round(horizontal.position($0.x))),\(round(vertical.position($0.y)))" }
            body.append(
                "<polyline points='\(path.joined(separator: " "))' fill='none' stroke='\(color)' stroke-width='2'/>")
            let y = 52 + 20 * Double(index)
            body.append("<rect x='510' y='\(y - 10)' width='12' height='12' fill='\(color)'/>")
            body.append(text(line.name, 528, y + 1))
        }
        return document(width: 760, height: 360, body)
    }
}
