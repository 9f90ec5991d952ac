import { detectGitBranch } from './gitFiles.ts';

const maxAgeMs = 3000;

/** The branch of a project as it was a moment ago: asking never waits, and never starts a process. */
export class BranchWatch {
  readonly #root: string;
  #branch: string | undefined;
  #readAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The last known branch; one that is more than a few seconds old is read anew for the next caller. */
  current(): string | undefined {
    if (Date.now() - this.#readAt > maxAgeMs) void this.refresh();
    return this.#branch;
  }

  async refresh(): Promise<void> {
    this.#readAt = Date.now();
    this.#branch = await detectGitBranch(this.#root);
  }
}
