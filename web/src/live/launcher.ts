// A form that makes a run. The server has the questions; the YAML is what is applied.
import { el, save } from "../dom.ts";
import { paths, send, type Draft, type Session } from "./api.ts";
import type { View } from "./main.ts";
import { back } from "./parts.ts";

/** dependent answers are those that another store may not have. */
const ofStore = ["mode", "nodes", "fault"];

class Launcher {
  readonly element = el("div", { class: "live" });
  private readonly form = el("div", { class: "form" });
  private readonly text = el("textarea", { rows: "24", spellcheck: "false", "aria-label": "The run in YAML" });
  private readonly said = el("p", { role: "status", class: "muted" });
  private readonly name = el("input", { value: "first", required: "", maxlength: "200", id: "name" });
  private answers: Record<string, string> = {};
  private turn = 0;
  private readonly go = el("button", { type: "button", class: "main" }, "Apply");

  constructor(session: Session) {
    const file = el("input", { type: "file", accept: ".yaml,.yml", "aria-label": "Open a YAML file" });
    file.addEventListener("change", () => void file.files?.[0]?.text().then((text) => {
      this.text.value = text;
      this.go.disabled = false;
      this.say("This is the file. A change of the form replaces it.");
    }));
    this.text.addEventListener("input", () => {
      this.turn++; // an answer that is under way comes too late
      this.go.disabled = false;
      this.say( "Changed by hand. A change of the form replaces it.");
    });
    this.name.addEventListener("input", () => void this.draft());
    this.go.addEventListener("click", () => void this.apply());
    const copy = el("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => navigator.clipboard.writeText(this.text.value).then(
      () => this.say("Copied."), () => this.say("The browser refuses to copy: save it.")));
    const keep = el("button", { type: "button" }, "Save");
    keep.addEventListener("click", () => save(`${this.name.value || "run"}.yaml`, "application/yaml", this.text.value));
    this.element.append(back(), el("header", {}, el("h1", {}, "New run")),
      el("p", { class: "muted" }, `Answer the questions, look at the YAML, and apply it in the namespace ${session.namespace}, as you. kubectl explain benchmarkrun.spec has all fields.`),
      el("div", { class: "launcher" },
        el("div", {}, el("div", { class: "field" }, el("label", { for: "name" }, "Name"), this.name), this.form),
        el("div", {}, this.text, el("div", { class: "buttons" }, this.go, copy, keep, file), this.said)));
    void this.draft();
  }

  private async draft(): Promise<void> {
    const turn = ++this.turn;
    try {
      const draft = await send<Draft>("POST", paths.draft, JSON.stringify({ name: this.name.value, answers: this.answers }));
      if (turn !== this.turn) return; // another answer was given since
      this.text.value = draft.manifest;
      const wrong = draft.fields.some((f) => f.problem);
      this.go.disabled = wrong;
      this.say(wrong ? "An answer is wrong. The YAML has the default in its place." : "");
      const focused = document.activeElement?.id;
      this.form.replaceChildren(...draft.fields.map((f) => this.field(f)));
      if (focused) document.getElementById(focused)?.focus();
    } catch (error) {
      this.fail(error);
    }
  }

  private field(f: Draft["fields"][number]): HTMLElement {
    const id = `field-${f.key}`;
    const note = `${id}-note`;
    const input = f.options
      ? el("select", { id, "aria-describedby": note }, ...f.options.map((o) => el("option", { value: o.value, ...(o.value === f.value ? { selected: "" } : {}) }, `${o.value}: ${o.meaning}`)))
      : el("input", { id, value: f.problem ? (this.answers[f.key] ?? f.value) : f.value, "aria-describedby": note, ...(f.problem ? { "aria-invalid": "true" } : {}) });
    input.addEventListener("change", () => {
      this.answers[f.key] = input.value;
      if (f.key === "store" || f.key === "mode") for (const key of ofStore) if (key !== f.key) delete this.answers[key];
      void this.draft();
    });
    return el("div", { class: "field" }, el("label", { for: id }, f.text || "In which mode?"), input,
      el("p", { id: note, class: f.problem ? "bad" : "muted" }, f.problem || f.explains || ""));
  }

  private async apply(): Promise<void> {
    this.go.disabled = true;
    try {
      const made = await send<{ kind: string; name: string; uid: string }>("POST", paths.objects, this.text.value);
      location.hash = `#/${made.kind}/${encodeURIComponent(made.name)}/${made.uid}`;
    } catch (error) {
      this.fail(error);
    } finally {
      this.go.disabled = false;
    }
  }

  private say(text: string, style = "muted"): void {
    this.said.textContent = text;
    this.said.className = style;
  }

  private fail(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), "bad");
    requestAnimationFrame(() => this.said.scrollIntoView({ block: "nearest" }));
  }
}

export function launcherView(session: Session): View {
  return { element: new Launcher(session).element, title: "New run", stop: () => undefined };
}
