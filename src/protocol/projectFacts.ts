/** What was found in the project, before the model looks. Names are as the files have them: never trusted, always short. */
export interface ProjectFacts {
  /** Files that git would not ignore; `isComplete` is false where there are more. */
  readonly files: number;
  readonly isComplete: boolean;
  /** Languages by their number of files, most first. */
  readonly languages: readonly { readonly name: string; readonly files: number }[];
  /** Folders at the top. */
  readonly folders: readonly string[];
  /** Manifests, lock files and the like, relative to the project. */
  readonly manifests: readonly string[];
  /** Commands that the manifests name, e.g. "npm run build" or "make test", with what they run. */
  readonly commands: readonly { readonly command: string; readonly runs?: string }[];
  /** Files for people and agents to draw from, relative to the project. */
  readonly guides: readonly string[];
  /** Files of continuous integration: what runs there is what must pass. */
  readonly workflows: readonly string[];
  /** An AGENTS.md that is there already, in bytes. */
  readonly agentsBytes: number | undefined;
}
