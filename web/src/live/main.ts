// The live page: a list of runs and suites, and each of them while it goes on. What stands behind # in the address says what is shown.
import { el } from "../dom.ts";
import { ask, paths, type Session } from "./api.ts";
import { compareView } from "./compare.ts";
import { importView } from "./import.ts";
import { launcherView } from "./launcher.ts";
import { listView } from "./list.ts";
import { pointsView } from "./points.ts";
import { runView } from "./run.ts";
import { suiteView } from "./suite.ts";

/** View is a part of the page that stops by itself when the page shows something else. */
export interface View {
  element: HTMLElement;
  title: string;
  stop(): void;
}

const at = document.getElementById("page")!;
let shown: View | null = null;

function viewOf(session: Session): View {
  const [kind, name, uid] = location.hash.replace(/^#\/?/, "").split("?")[0]!.split("/").map(decoded);
  if (kind === "run" && name && uid) return runView(session, name, uid);
  if (kind === "compare" && session.cluster) return compareView(new URLSearchParams(location.hash.split("?")[1] ?? "").getAll("of"));
  if (kind === "new" && session.cluster) return launcherView(session);
  if (kind === "import" && session.cluster) return importView();
  if (kind === "points" && name && session.cluster) return pointsView(name);
  if (kind === "suite" && name && uid) return suiteView(session, name, uid);
  return listView(session);
}

/** decoded is a part of the address. One that is none names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function show(session: Session): void {
  shown?.stop();
  shown = viewOf(session);
  document.title = `${shown.title} · kvbench`;
  at.replaceChildren(shown.element);
  scrollTo(0, 0);
}

ask<Session>(paths.session).then((session) => {
  // Behind an Ingress the address says which namespace is asked for, as in ?namespace=team.
  if (!session.cluster) session.namespace = new URLSearchParams(location.search).get("namespace") ?? "";
  addEventListener("hashchange", () => show(session));
  show(session);
}, (error: unknown) => {
  at.replaceChildren(el("p", { class: "warning" }, `The page's server doesn't answer: ${String(error)}. Start kubectl kvbench open again.`));
});
