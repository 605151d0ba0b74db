// What stands in the page of a suite: suite.json (docs/reference/suite.schema.json).

export interface SuitePage {
  kind: "suite";
  suite: Suite;
}

export interface Label {
  axis: string;
  value: string;
}

export interface Axis {
  name: string;
  values: string[];
  fields?: string[] | null;
}

/** Estimate is a value of trials. Without an interval its ends are null; without a value there may be the least that it can be. */
export interface Estimate {
  value: number | null;
  atLeast?: number;
  low: number | null;
  high: number | null;
  confidence?: number;
  trials: number;
}

/** Name says which figure it is. */
export interface Name {
  workload: string;
  operation?: string;
  fault?: string;
  metric: string;
  time?: string;
}

export interface Trialed {
  block: number;
  value: number;
  censored?: boolean;
}

export interface Metric extends Name {
  unit: string;
  values: Trialed[];
  median: Estimate;
}

export interface Combination {
  labels: Label[];
  valid: number;
  unusable: number;
  left: number;
  absent?: boolean;
  metrics: Metric[];
}

export interface Comparison extends Name {
  axis: string;
  value: string;
  against: string;
  with: Label[];
  ratio: Estimate;
  why?: string;
}

export interface Judged {
  combination: Label[];
  baseline?: Label[];
  against?: string;
  workload?: string;
  operation?: string;
  figure: Estimate;
  verdict: string;
  why?: string;
}

export interface Objective {
  metric: string;
  text: string;
  basis: string;
  verdict: string;
  judged: Judged[];
}

export interface Parameter {
  value: number;
  low: number | null;
  high: number | null;
}

export interface Growth {
  axis: string;
  with: Label[];
  workload: string;
  sizes: { n: number; throughput: number | null; trials: number; residual: number | null }[];
  law: { lambda: Parameter; sigma: Parameter; kappa: Parameter; peak: number | null } | null;
  why?: string;
}

export interface FoundRate {
  rate: number;
  kept: number;
  missed: number;
  unknown: number;
}

export interface Search {
  objectives: string[];
  found: { with: Label[]; holds: FoundRate | null; misses: FoundRate | null; tried: { rate: number; kept: boolean; run?: string }[]; why?: string }[];
  ratios: { axis: string; value: string; against: string; with: Label[]; low: number | null; high: number | null }[];
  underWay?: boolean;
}

export interface Trial {
  block: number;
  combination: number;
  attempts: { run: string; uid: string; outcome: string; reasons?: string[]; adopted?: boolean }[];
}

export interface Suite {
  format: number;
  suite: { namespace: string; name: string; uid: string };
  /** A text if a number can't hold it. */
  seed: number | string;
  reuse?: string;
  complete: boolean;
  axes: Axis[];
  blocks: number;
  confidence: number;
  width?: { metric: string; operation?: string; halfWidth: number; blocks: number; widest: number | null; of?: string; narrow: boolean };
  verdict?: string;
  objectives?: Objective[];
  baselines?: { name: string; suite: { namespace: string; name: string; uid: string } }[];
  adoption?: { suite: string; changed: boolean; trials: number; mixedBlocks: number };
  combinations: Combination[];
  search?: Search;
  comparisons: Comparison[];
  growth?: Growth[];
  warnings: string[];
  trials: Trial[];
}
