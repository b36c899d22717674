"use strict";
// What a page does beside what the App in nest.wasm.js does: it hands over what is clicked and typed, and puts the answers
// in their places.
(() => {
const $ = id => document.getElementById(id), all = query => document.querySelectorAll(query);
const dark = matchMedia("(prefers-color-scheme: dark)"), calm = matchMedia("(prefers-reduced-motion: reduce)");
const params = ["m", "b", "f", "place", "kick", "seed"];
let language = (navigator.language || "").startsWith("zh") ? "zh" : "en";
let last = {}; // what is shown, by place
const notes = {}; // what the page itself says, in both languages, by place

const say = (en, zh) => language === "zh" ? zh : en;
function note(id, en = "", zh = "") {
  notes[id] = [en, zh];
  $(id).textContent = say(en, zh);
}
function fail(en, zh) {
  for (const e of all("[data-show=problem]")) e.textContent = en + " " + zh;
  $("loading").hidden = true;
}
document.documentElement.lang = language;
if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
  fail("This browser has no WebAssembly or cannot unpack it, so the filter cannot run here: use a browser of 2023 or later.",
    "此浏览器没有 WebAssembly 或无法解压，过滤器无法在此运行：请使用 2023 年或之后的浏览器。");
  return;
}
addEventListener("DOMContentLoaded", () => {
  if (typeof nestWasm !== "string") {
    fail("The file nest.wasm.js did not load: it belongs beside this page.", "文件 nest.wasm.js 未能加载：它应与本页放在一起。");
    return;
  }
  start().catch(err => fail("The filter could not be started: " + err.message, "过滤器无法启动。"));
});

async function start() {
  const packed = Uint8Array.from(atob(nestWasm), c => c.charCodeAt(0));
  const program = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(program, go.importObject);
  go.run(instance).then(() => fail("The filter has stopped: load the page again.", "过滤器已停止：请重新加载本页。"));
  $("loading").hidden = true;
  for (const e of all(".waiting")) e.classList.remove("waiting");
  see();
  call("open", location.hash);
  document.body.dataset.ready = "yes";
}

function call(command, ...args) {
  const shown = nestPage(command, ...args);
  for (const [place, text] of Object.entries(shown)) {
    if (last[place] === text) continue;
    for (const e of all(`[data-show=${place}]`)) e.textContent = text;
    for (const e of all(`[data-picture=${place}]`)) e.innerHTML = text;
    for (const e of all(`[data-end=${place}]`)) e.setAttribute("aria-disabled", text === "yes");
    if (params.includes(place)) $(place).value = text;
    if (place === "link") {
      document.querySelector("[data-link]").href = "#" + text;
      try { history.replaceState(null, "", "#" + text); } catch { /* a file's address may not change in some browsers */ }
      note("copied");
    }
  }
  if (shown.right !== undefined) $("rival").hidden = shown.right === "";
  if (shown.invalid !== undefined) for (const id of params) $(id).setAttribute("aria-invalid", shown.invalid.split(" ").includes(id));
  Object.assign(last, shown);
  compare();
  return shown;
}

// Parameters that were changed and are not in use yet are pointed out.
function compare() { $("pending").hidden = params.every(id => $(id).value === last[id]); }

function see() {
  document.documentElement.lang = language;
  document.title = say("Watch a cuckoo filter", "看布谷鸟过滤器如何工作");
  $("player").setAttribute("aria-label", say("player", "播放器"));
  for (const b of all("[data-language]")) b.setAttribute("aria-pressed", b.dataset.language === language);
  for (const id in notes) note(id, ...notes[id]);
  call("see", language, dark.matches ? "dark" : "light");
}
dark.addEventListener("change", see);
for (const b of all("[data-language]")) b.addEventListener("click", () => { language = b.dataset.language; see(); });
addEventListener("hashchange", () => { if (location.hash !== "#" + last.link) { pause(); call("open", location.hash); } });

// What is done to the table is shown from its first picture on; who wants no motion sees the last one.
function act(command, ...args) {
  pause();
  const shown = call(command, ...args);
  if (shown.problem) return false;
  if (calm.matches) call("step", "1000000");
  else if (shown.end !== "yes") play(false);
  return true;
}
$("form").addEventListener("submit", e => { e.preventDefault(); if (act("insert", $("key").value)) $("key").select(); });
for (const b of all("button[data-do][type=button]")) b.addEventListener("click", () => {
  act(b.dataset.do, $(b.dataset.from || "key").value);
});
// A browser takes minutes to lay out megabytes in a field: the App says that they are too many before they get there.
for (const id of ["key", "many"]) $(id).addEventListener("paste", e => {
  const text = (e.clipboardData || new DataTransfer()).getData("text/plain");
  if (text.length > 65536) { e.preventDefault(); call("insert", text); }
});
$("key").addEventListener("input", () => { pause(); call("type", $("key").value); });
for (const id of params) $(id).addEventListener("input", compare);
$("params").addEventListener("submit", e => { e.preventDefault(); pause(); stop(); call("set", ...params.map(id => $(id).value)); });

let timer = 0;
function play(backwards) {
  $("backwards").checked = backwards;
  if (last[backwards ? "start" : "end"] === "yes") call(backwards ? "step" : "replay", "1000000");
  const next = () => {
    const backwards = $("backwards").checked, shown = call("step", backwards ? "-1" : "1");
    if (shown[backwards ? "start" : "end"] === "yes") pause(); else timer = setTimeout(next, 1000 / $("speed").value);
  };
  timer = setTimeout(next, 1000 / $("speed").value);
  mark("play", true);
}
function pause() { clearTimeout(timer); timer = 0; mark("play", false); }
function mark(id, on) {
  $(id).querySelector(".on").hidden = !on;
  $(id).querySelector(".off").hidden = on;
}
const toggle = () => { if (timer) pause(); else if (last.idle !== "yes") play($("backwards").checked); };
$("play").addEventListener("click", toggle);
for (const b of all("[data-step]")) b.addEventListener("click", () => { pause(); call("step", b.dataset.step); });
addEventListener("keydown", e => {
  if (!e.target.closest("#player, [data-picture]") || e.target.matches("select") || e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === "p" || e.key === "P") toggle();
  else if (e.key === "ArrowRight" || e.key === "ArrowLeft") { pause(); call("step", e.key === "ArrowRight" ? "1" : "-1"); }
  else return;
  e.preventDefault();
});

let running = false;
function frame(began, frames) {
  if (!running) return;
  const pace = $("pace").value, shown = call("run", calm.matches ? String(20 * pace) : pace), now = performance.now();
  frames++;
  if (now - began > 500) {
    const rate = Math.round(1000 * frames / (now - began));
    if (!calm.matches) note("frames", `${rate} frames per second`, `每秒 ${rate} 帧`);
    began = now; frames = 0;
  }
  if (shown.problem || shown.done) stop();
  else if (calm.matches) setTimeout(frame, 500, began, frames);
  else requestAnimationFrame(() => frame(began, frames));
}
function stop() {
  if (running) $("crowdsaid").textContent = last.crowd;
  running = false;
  note("frames");
  mark("run", false);
}
$("run").addEventListener("click", () => {
  if (running) { stop(); return; }
  if (last.done) return; // the table is emptied with the button beside it
  running = true;
  mark("run", true);
  requestAnimationFrame(() => frame(performance.now(), 0));
});
for (const [id, event] of [["again", "click"], ["slots", "change"]]) $(id).addEventListener(event, () => { stop(); call("grow", $("slots").value); });

function download(blob, name) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
async function save(place, as) {
  const name = `nest-${place}.${as}`, svg = last[place];
  if (as === "svg") return download(new Blob([svg], { type: "image/svg+xml" }), name);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  canvas.width = 2 * image.naturalWidth; canvas.height = 2 * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(blob => download(blob, name), "image/png");
}
for (const b of all("[data-save]")) b.addEventListener("click", () => {
  save(b.dataset.save, b.dataset.as).catch(() => fail("This browser cannot make a PNG of the picture; SVG works everywhere.", "此浏览器无法生成 PNG，请保存为 SVG。"));
});
$("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href.split("#")[0] + "#" + last.link);
    note("copied", "The link is copied.", "链接已复制。");
  } catch {
    note("copied", "This browser does not let a page copy: take the link from the address.", "此浏览器不允许网页复制：请从地址栏复制链接。");
  }
});
})();
