// Tabs as in the ARIA practices: one stop for the Tab key; arrows, Home and End move between tabs.

export function connectTabs(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];

  const open = (opened) => {
    for (const tab of tabs) {
      const isOpen = tab === opened;
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isOpen;
    }
  };

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) open(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const tab = tabs[(steps[event.key] + tabs.length) % tabs.length];
    open(tab);
    tab.focus();
  });
}
