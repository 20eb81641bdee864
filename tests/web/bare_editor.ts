/** The page with nothing but its editor: what typing costs without treewhile, for the benchmark. */

import { makeEditor } from "../../web/source/page/editor.ts";

makeEditor(document.getElementById("editor")!, []).focus();
document.getElementById("connection")!.className = "open";
