// What runs first: it unpacks style, worker and script of the page and puts them into it.

import { unpacked } from "./unpack";

const [look = "", worker = "", program = ""] = new TextDecoder().decode(unpacked("program")).split("\0");
const style = document.createElement("style"),
  script = document.createElement("script");
style.textContent = look;
document.getElementById("worker")!.textContent = worker;
script.textContent = program;
document.head.append(style);
document.body.append(script);
