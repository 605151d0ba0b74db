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

export const memberStates = {
  leader: "leader", follower: "follower", member: "member", unsettled: "answers, not settled", away: "no answer", unknown: "nobody looked",
} as const;

export type MemberState = keyof typeof memberStates;

/** stateOf is what a lane shows. A member that answers isn't healthy while it knows no leader, or its cluster is settling. */
export function stateOf(s: { role: string; healthy: boolean; known: boolean }): MemberState {
  if (!s.known) return "unknown";
  if (s.role === "unknown" || s.role === "") return "away";
  if (!s.healthy) return "unsettled";
  if (/leader|primary|master/i.test(s.role)) return "leader";
  return s.role === "member" ? "member" : "follower";
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
        const inset = height * (kind === "leader" ? 0.12 : kind === "follower" || kind === "member" ? 0.28 : 0.4);
        ctx.fillRect(left, top + inset, Math.max(right - left, 1), height - 2 * inset);
      });
    });
    ctx.restore();
  };
}
