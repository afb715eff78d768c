"use strict";
(() => {
  const tools = document.getElementById("tools");
  const search = document.getElementById("search");
  const only = document.getElementById("only");
  const found = document.getElementById("found");
  const servers = [...document.querySelectorAll(".server")];
  const stacks = [...document.querySelectorAll(".stack")];
  const words = new Map(servers.map((server) => [
    server,
    (server.closest(".stack").dataset.name + " " + server.textContent).toLowerCase(),
  ]));

  const unfold = (node) => {
    for (let each = node; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") each.open = true;
    }
  };

  const filter = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const server of servers) {
      const text = words.get(server);
      const fits = wanted.every((word) => text.includes(word));
      server.hidden = !fits || (only.checked && server.dataset.calm === "yes");
      if (!server.hidden) {
        shown += 1;
        if (wanted.length) unfold(server.parentElement);
      }
    }
    for (const calm of document.querySelectorAll(".stack .calm")) {
      calm.hidden = !calm.querySelector(".server:not([hidden])");
    }
    for (const stack of stacks) {
      const has = stack.querySelector(".server:not([hidden])");
      stack.hidden = (wanted.length > 0 || only.checked) && !has && stack.dataset.calm === "yes";
      if (wanted.length > 0 && !has && !stack.dataset.name.includes(wanted[0])) stack.hidden = true;
    }
    found.textContent = shown === servers.length ? "" : shown + " of " + servers.length + " servers";
  };

  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
  document.getElementById("unfold").addEventListener("click", () => {
    for (const each of document.querySelectorAll(".stack, .calm")) each.open = true;
  });
  document.getElementById("fold").addEventListener("click", () => {
    for (const each of document.querySelectorAll("main details")) each.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === "Escape" && event.target === search) {
      search.value = "";
      filter();
    }
  });

  const arrive = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    unfold(target);
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  };
  addEventListener("hashchange", arrive);
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
  tools.hidden = false;
  arrive();
})();
