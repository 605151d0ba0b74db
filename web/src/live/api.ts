// What the live page asks its server for. Addresses are below the page's own, which has a secret.
import { parse } from "../json.ts";

export interface Session {
  namespace: string;
  /** The server speaks to the cluster as the user. Without it, it has what is kept alone. */
  cluster: boolean;
}

export interface Entry {
  kind: "run" | "suite";
  namespace: string;
  name: string;
  uid: string;
  store?: string;
  mode?: string;
  members?: number;
  phase: string;
  valid?: boolean;
  invalidReasons?: string[];
  verdict?: string;
  started?: string;
  reported: boolean;
  inCluster: boolean;
}

export interface Listed {
  entries: Entry[];
  missing?: string;
}

/** Frame is what `kubectl kvbench watch -o json` prints each second. */
export interface Frame {
  kind: string;
  namespace: string;
  name: string;
  phase: string;
  ageSeconds: number;
  run?: RunFrame;
  suite?: SuiteFrame;
  cluster?: Silence;
  results?: Silence;
  missing?: string[];
  ended: boolean;
  exitCode: number;
  verdict?: string[];
}

export interface Silence {
  seconds: number;
  trouble: string;
}

export interface RunFrame {
  name: string;
  phase: string;
  store: string;
  mode?: string;
  nodes: number;
  steps: { name: string; state: string }[];
  workload: string;
  workloadNumber: number;
  workloads: number;
  waiting?: string;
  load?: { elapsedSeconds: number; durationSeconds?: number; leftSeconds?: number; closedLoop: boolean };
  faults: { name: string; action: string; workload: string; at: string; state: string; targets?: string[]; message?: string; injectedAt?: string; endedAt?: string; lasts?: boolean }[];
  events: { time: string; warning: boolean; reason: string; message: string }[];
}

export interface SuiteFrame {
  total: number;
  done: number;
  unusable: number;
  left: number;
  timeLeft?: string;
  rows: { combination: string; cells: { state: string; repeats?: number; run?: string }[] }[];
  waiting?: string;
  run?: RunFrame;
}

/** Second is one second of a run: internal/results/live/seconds. */
export interface Second {
  workload: string;
  unixSeconds: number;
  second: number;
  missingWorkers?: number[];
  intended: number;
  operations: { operation: string; outcome: string; count: number; part?: boolean; responseTime?: Latency; serviceTime?: Latency }[];
  heat: number[];
  errors?: { operation: string; outcome: string; code: string; count: number }[];
  generator: { lagMaxMicros: number | null; inFlightMax: number | null; gcPauseMicros: number | null; coreShare: number | null };
  store?: { leader?: string; term?: number; members: { name: string; role: string; up: boolean }[] };
}

export interface Latency {
  p50Micros: number;
  p95Micros: number;
  p99Micros: number;
  p999Micros: number;
  maxMicros: number;
}

export interface Started {
  workload: string;
  workers: number;
  startUnixNanos: number;
  warmupMillis: number;
  fromUnixSeconds: number;
}

/** Refused is an answer of the server that is no document. */
export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export const ask = <T>(path: string): Promise<T> => send<T>("GET", path);

export async function send<T>(method: string, path: string, body?: string): Promise<T> {
  const answer = await fetch(path, { method, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (answer.ok) return parse<T>(text);
  let message = `${answer.status} ${answer.statusText}`;
  try {
    message = (JSON.parse(text) as { error: string }).error;
  } catch { /* it isn't ours */ }
  throw new Refused(answer.status, message);
}

/** Draft is a run that is still being thought about. */
export interface Draft {
  fields: { key: string; text?: string; explains?: string; options?: { value: string; meaning: string }[]; value: string; problem?: string }[];
  manifest: string;
}

/** list asks for all runs and suites. A server that speaks to no cluster has what it keeps. */
export async function list(session: Session): Promise<Listed> {
  if (session.cluster) return ask<Listed>(paths.list);
  const of = session.namespace ? `?namespace=${encodeURIComponent(session.namespace)}` : "";
  const [runs, suites] = await Promise.all([ask<{ runs: KeptRun[] }>(`v1/runs${of}`), ask<{ suites: KeptSuite[] }>(`v1/suites${of}`)]);
  return { entries: [
    ...runs.runs.map((r): Entry => ({
      kind: "run", namespace: r.namespace, name: r.name, uid: r.uid, store: r.store, mode: r.mode, members: r.members, inCluster: false, reported: r.reported,
      phase: r.reported ? "Reported" : r.startedAtUnixNanos > 0 ? "Started" : "Admitted",
      ...(r.judgement ? { valid: r.judgement.valid, invalidReasons: r.judgement.invalidReasons } : {}),
      ...(r.judgement?.verdict ? { verdict: r.judgement.verdict } : {}),
      ...(r.startedAtUnixNanos > 0 ? { started: new Date(r.startedAtUnixNanos / 1e6).toISOString() } : {}),
    })),
    ...suites.suites.map((s): Entry => ({
      kind: "suite", namespace: s.namespace, name: s.name, uid: s.uid, inCluster: false, reported: s.complete,
      phase: s.complete ? "Complete" : `${s.valid} of ${s.trials}`,
    })),
  ] };
}

interface KeptRun {
  uid: string;
  namespace: string;
  name: string;
  store: string;
  mode: string;
  members: number;
  startedAtUnixNanos: number;
  reported: boolean;
  judgement?: { valid: boolean; invalidReasons: string[]; verdict?: string };
}

interface KeptSuite {
  uid: string;
  namespace: string;
  name: string;
  trials: number;
  valid: number;
  complete: boolean;
}

export const paths = {
  session: "session.json",
  list: "list.json",
  comparison: (references: string[]): string => `comparison?${references.map((r) => `of=${encodeURIComponent(r)}`).join("&")}`,
  draft: "draft",
  objects: "objects",
  feeds: "points.json",
  feed: (name: string): string => `points/${encodeURIComponent(name)}`,
  import: (file: string): string => `import?file=${encodeURIComponent(file)}`,
  object: (kind: string, name: string, uid: string): string => `objects/${kind}/${encodeURIComponent(name)}/${uid}`,
  frames: (kind: string, name: string, uid: string): string => `frames/${kind}/${encodeURIComponent(name)}/${uid}`,
  run: (uid: string): string => `v1/runs/${uid}`,
  suite: (uid: string): string => `v1/suites/${uid}`,
};
