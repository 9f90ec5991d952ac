/** Facts about the project, collected before the model starts. File names appear as found: untrusted, always short. */
export interface ProjectFacts {
  /** Number of files not ignored by git; `isComplete` is false if there are more. */
  readonly files: number;
  readonly isComplete: boolean;
  /** Languages by number of files, largest first. */
  readonly languages: readonly { readonly name: string; readonly files: number }[];
  /** Top-level folders. */
  readonly folders: readonly string[];
  /** Manifests, lock files and similar, relative to the project. */
  readonly manifests: readonly string[];
  /** Commands defined in manifests, e.g. "npm run build" or "make test", with what they run. */
  readonly commands: readonly { readonly command: string; readonly runs?: string }[];
  /** Documentation for people and agents, relative to the project. */
  readonly guides: readonly string[];
  /** Continuous integration files: what they run must pass. */
  readonly workflows: readonly string[];
  /** Bytes of an existing AGENTS.md. */
  readonly agentsBytes: number | undefined;
}
