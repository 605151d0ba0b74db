// What stands in the page: report.json (docs/reference/report.schema.json) and charts.json
// (docs/reference/charts.schema.json). A report of another version may lack what is optional here.

export interface Page {
  kind: "run";
  report: Report;
  charts: Charts | null;
}

export interface Reason {
  reason: string;
  workload?: string;
  message: string;
}

export interface Moment {
  sinceStartMicros: number;
  time: string;
}

export interface Bracket {
  after: Moment;
  before: Moment;
}

export interface Latency {
  p50Micros: number;
  p95Micros: number;
  p99Micros: number;
  p999Micros: number;
  maxMicros: number;
  meanMicros: number;
}

export interface Report {
  format: number;
  kvbench?: string;
  valid: boolean;
  invalidReasons: Reason[];
  notJudged: Reason[];
  remarks: Reason[];
  verdict?: string;
  objectives?: Objective[];
  run: { uid: string; name: string; namespace: string };
  plan: { sha256: string; fingerprint: string };
  /** A text if a number can't hold it. */
  seed: number | string;
  store: Store;
  environment?: Environment;
  clock: { boundMicros: number | null };
  workloads: Workload[];
  faults: Fault[];
}

export interface Objective {
  text: string;
  verdict: string;
  value?: number | null;
  [other: string]: unknown;
}

export interface Store {
  name: string;
  driver: string;
  mode: string;
  promise: string;
  security: string;
  version?: string;
  persistent?: boolean;
  members: string[];
}

export interface Environment {
  manifest?: string;
  nodes?: Record<string, unknown>[];
  [other: string]: unknown;
}

export interface Workload {
  name: string;
  preset: string;
  records: number;
  load: Load;
  loading: Loading | null;
  startedAt: string | null;
  durationMicros: number;
  intended: number;
  succeeded: number;
  failed: number;
  unknown: number;
  neverStarted: number;
  completed: number;
  throughput: number;
  operations: Operation[];
  responseTimeCensored: boolean;
  saturated: boolean;
  errors: ErrorCount[];
  generator: Record<string, unknown>;
  usage: { members: Record<string, unknown>[]; cores: number | null; operationsPerCoreSecond: number | null } | null;
}

export interface Load {
  model: string;
  rate: number;
  workers: number;
  threads: number;
  maxInFlight: number;
  warmupMicros: number;
  cooldownMicros: number;
}

export interface Loading {
  valid: boolean;
  records: number;
  durationMicros: number;
  throughput: number;
  batch: number;
  insert: Latency | null;
}

export interface Operation {
  operation: string;
  outcome: string;
  count: number;
  responseTime: Latency | null;
  serviceTime: Latency | null;
}

export interface ErrorCount {
  operation: string;
  outcome: string;
  code: string;
  count: number;
  example: string;
}

export interface FaultSeries {
  operation: string;
  shard: string;
  outageMicros: number;
  censored: boolean;
  downAt: Moment | null;
  backAt: Moment | null;
}

export interface Fault {
  name: string;
  workload: string;
  action: string;
  target: string;
  targets?: string[];
  role: string;
  partOf?: string;
  durationMicros?: number;
  dueAt: Moment | null;
  injectedAt: Bracket | null;
  endedAt?: Bracket;
  effective: boolean;
  effectiveAt: Moment | null;
  healedAt: Moment | null;
  overdueMicros: number | null;
  outageMicros: number | null;
  outageCensored: boolean;
  outageErrorMicros: number | null;
  downAt: Moment | null;
  backAt: Moment | null;
  downTotalMicros: number | null;
  outages: number | null;
  series: FaultSeries[];
  longestGapMicros: number | null;
  leaderBefore: string;
  leaderAfter: string;
  termBefore: number;
  termAfter: number;
  error: string;
}

export interface Charts {
  format: number;
  workloads: WorkloadCharts[];
}

type Column = (number | null)[];

export interface Percentiles {
  p50Micros: Column;
  p95Micros: Column;
  p99Micros: Column;
  p999Micros: Column;
  maxMicros: Column;
}

export interface Curve {
  operation: string;
  outcome: string;
  time: string;
  count: number;
  points: { percentile: number; micros: number }[];
}

export interface UsageColumns {
  source: string;
  atMicros: number[];
  cores: Column;
  collectorShare: Column;
  residentBytes: Column;
  workingSetBytes: Column;
  dataBytes: Column;
}

export interface MemberCharts {
  name: string;
  states: { atMicros: number; role: string; healthy: boolean; known: boolean }[];
  usage: UsageColumns[];
}

export interface FaultCharts {
  name: string;
  fromMicros: number;
  binMicros: number;
  intended: number[];
  served: number[];
}

export interface WorkloadCharts {
  name: string;
  /** It goes on: operations that didn't succeed count in the second in which they ended. */
  live?: boolean;
  stepSeconds: number;
  firstStepMicros: number;
  lastStepMicros: number;
  firstSecond: number;
  steps: number;
  missingWorkers: number[];
  /** null is a step of which nobody knows. */
  counts: { intended: Column; ok: Column; failed: Column; unknown: Column; completed: Column };
  operations: { operation: string; count: number[]; response: Percentiles | null; service: Percentiles | null }[];
  heat: { time: string; boundsMicros: number[]; columns: number[][] | null };
  curves: Curve[];
  errors: { operation: string; outcome: string; code: string; step: number[]; count: number[] }[];
  generator: { lagMaxMicros: Column; inFlightMax: Column; gcPauseMicros: Column; coreShare: Column };
  members: MemberCharts[];
  leaders: { atMicros: number; member: string; term: number; steady: boolean }[];
  faults: FaultCharts[];
  loading: { startedAt: string; sent: number[]; curve: Curve | null } | null;
}
