/** What `clawdcode doctor` and `/doctor` found out, as plain data: for a page and for programs. */

export interface Finding {
  /** Stable, for programs: `node`, `terminal.widths`. */
  readonly id: string;
  /** A word or two. */
  readonly label: string;
  /** `missing`: something does not work without it. `warning`: it works, but worse than it could. */
  readonly state: 'ok' | 'warning' | 'missing';
  /** What is there, on one line. */
  readonly value: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface DoctorReport {
  readonly version: string;
  readonly findings: readonly Finding[];
  /** What was not looked at, and why; empty when everything was. */
  readonly notes: readonly string[];
}

/** True when nothing that is needed is missing. */
export function isHealthy({ findings }: Pick<DoctorReport, 'findings'>): boolean {
  return findings.every(({ state }) => state !== 'missing');
}
