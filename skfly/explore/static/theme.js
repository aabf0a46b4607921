// Before the first paint: what was chosen last, if anything was.
"use strict";
try {
  const chosen = localStorage.getItem("skfly-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage may be forbidden: the system's choice is used
}
