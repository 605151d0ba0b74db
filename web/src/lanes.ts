import type uPlot from "uplot";
import type { MemberCharts } from "./model.ts";
import { color } from "./theme.ts";

const second = 1_000_000;

/** shortNames leaves out what all members' names begin with, up to a dash. */
export function shortNames(names: string[]): string[] {
  const first = names[0] ?? "";
  let end = first.lastIndexOf("-");
  while (end > 0 && !names.every((name) => name.startsWith(first.slice(0, end + 1)))) end = first.lastIndexOf("-", end - 1);
  return names.length < 2 || end <= 0 ? names : names.map((name) => `…${name.slice(end)}`);
}

export type MemberState = "leader" | "follower" | "away" | "unknown";

/** stateOf is what a lane shows: a member that doesn't answer is away, whatever its role was. */
export function stateOf(s: { role: string; healthy: boolean; known: boolean }): MemberState {
  if (!s.known) return "unknown";
  if (!s.healthy) return "away";
  return /leader|primary|master/i.test(s.role) ? "leader" : "follower";
}

/** paintLanes draws a lane for each member: how its state changed over time. */
export function paintLanes(members: MemberCharts[], end: number): (u: uPlot) => void {
  return (u) => {
    const { ctx, bbox } = u;
    const height = bbox.height / Math.max(1, members.length);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    members.forEach((member, lane) => {
      const top = bbox.top + lane * height;
      member.states.forEach((state, i) => {
        const left = u.valToPos(state.atMicros / second, "x", true);
        const next = member.states[i + 1];
        const right = u.valToPos(next ? next.atMicros / second : end, "x", true);
        const kind = stateOf(state);
        ctx.fillStyle = color(`state-${kind}`);
        // Their heights differ as well as their colours.
        const inset = height * (kind === "leader" ? 0.12 : kind === "follower" ? 0.28 : 0.4);
        ctx.fillRect(left, top + inset, Math.max(right - left, 1), height - 2 * inset);
      });
    });
    ctx.restore();
  };
}
