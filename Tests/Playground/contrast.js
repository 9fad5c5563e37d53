// Run in the page: the contrast of every text that can be seen, and of lines that mean something, by WCAG 2.

// "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)" as numbers.
const parts = (color) => {
  const numbers = color.match(/[\d.]+/g).map(Number);
  return numbers.length === 3 ? [...numbers, 1] : numbers;
};
const over = (front, back) => front.slice(0, 3).map((value, index) => value * front[3] + back[index] * (1 - front[3]));
const luminance = (color) => {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return Math.round(((light + 0.05) / (dark + 0.05)) * 100) / 100;
};
// What lies behind an element's text.
const backOf = (element) => {
  if (!element) return [255, 255, 255];
  const color = parts(getComputedStyle(element).backgroundColor);
  return color[3] === 1 ? color.slice(0, 3) : over(color, backOf(element.parentElement));
};
const named = (element) => `${element.tagName.toLowerCase()}#${element.id}.${element.className}`;

const texts = [];
const lines = [];
const addText = (element, color, back) => texts.push({ of: named(element), contrast: contrast(over(parts(color), back), back) });
const addLine = (element, color, back) => lines.push({ of: named(element), contrast: contrast(over(parts(color), back), back) });

for (const element of document.querySelectorAll("body *")) {
  if (!element.checkVisibility({ visibilityProperty: true })) continue;
  const style = getComputedStyle(element);
  const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  const isMirror = element.closest(".mirror") !== null;
  if (isMirror) {
    const back = backOf(element);
    if (element.classList.contains("mirror")) continue;
    // The letters over a mark may have any color of this editor.
    for (const letters of element.closest(".editor").querySelectorAll(".letters, .letters span")) {
      addText(element, getComputedStyle(letters).color, back);
    }
    if (parts(style.textDecorationColor)[3] > 0) addLine(element, style.textDecorationColor, back);
  } else if (hasText || element.matches("input[type=text]")) {
    addText(element, style.color, backOf(element));
    if (element.matches(".sample")) addLine(element, style.textDecorationColor, backOf(element));
  }
  if (element.matches("button:not([role]), select, input[type=text], .editor")) {
    addLine(element, style.borderTopColor, backOf(element.parentElement));
  }
}
return { texts, lines };
