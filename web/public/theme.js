// Before the first paint, so that a chosen theme does not flash in. A file, since inline scripts are not allowed.
(function () {
  try {
    var theme = localStorage.getItem("cortex:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme is used then.
  }
})();
