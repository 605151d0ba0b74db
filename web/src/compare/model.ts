// What stands in the page of a comparison: what `kubectl kvbench compare -o json` prints, and of runs their documents.
import type { Charts, Report } from "../model.ts";
import type { Estimate, Label, Name } from "../suite/model.ts";

export interface ComparisonPage {
  kind: "comparison";
  summary: string;
  caution?: string;
  comparison: ComparisonDocument;
  /** The base and then the others. */
  sides: { report: Report | null; charts: Charts | null }[];
}

export interface Side {
  argument: string;
  kind: string;
  tool?: string;
  namespace?: string;
  name?: string;
  uid?: string;
}

export interface Difference {
  field: string;
  value: string;
  against: string;
}

export interface Figure extends Name {
  statistic?: string;
  unit: string;
  higherIsBetter: boolean;
  value: Estimate;
  base: Estimate;
  ratio: Estimate;
  change: string;
  objective?: string;
  verdict?: string;
  why?: string;
}

export interface Pair {
  combination: Label[];
  base: Label[];
  trials: number;
  baseTrials: number;
  outcome: string;
  why?: string;
  differences?: Difference[];
  accepted?: Difference[];
  figures: Figure[];
}

export interface Compared extends Side {
  comparable: boolean;
  why?: string;
  pairs: Pair[];
  onlyHere?: Label[][];
  onlyInBase?: Label[][];
}

export interface ComparisonDocument {
  format: number;
  verdict?: string;
  margin?: number;
  confidence: number;
  base: Side;
  compared: Compared[];
  warnings: string[];
}
