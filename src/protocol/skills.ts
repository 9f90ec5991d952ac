/** Skills and custom commands: prompts kept in files, which the user runs as `/name` and the model as a tool call. */

/** What the front matter of a skill or command file says. */
export interface Skill {
  /** Without the slash; `:` between the folders of a command. */
  readonly name: string;
  /** A folder with a SKILL.md, or a Markdown file in a folder of commands. */
  readonly kind: 'skill' | 'command';
  /** One line, at most 1,024 characters. */
  readonly description: string;
  /** Shown behind the name, e.g. "[issue] [branch]". */
  readonly argumentHint?: string;
  /** Absolute path of the SKILL.md or command file. */
  readonly file: string;
  /** Whose it is: the user's own, or the repository's. */
  readonly scope: 'user' | 'project';
  /** False for `disable-model-invocation: true`. */
  readonly modelCanUse: boolean;
  /** False for `user-invocable: false`. */
  readonly userCanUse: boolean;
  /** Permission rules that apply for the rest of the turn that uses it; honoured in the user's own files only. */
  readonly allowedTools: readonly string[];
  /** Keys of the front matter that have no effect here, sorted. */
  readonly ignored: readonly string[];
}

/** A file that looks like a skill or command and is not used. */
export interface SkillProblem {
  readonly file: string;
  /** One sentence for the user. */
  readonly message: string;
}

export interface SkillList {
  /** In order of name; each name once. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** A piece of a skill's text once arguments are filled in. */
export type SkillPart =
  | { readonly type: 'text'; readonly text: string }
  /** `` !`command` ``: its output replaces it. */
  | { readonly type: 'command'; readonly command: string };

/** The text of a skill with everything filled in. */
export interface SkillText {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Commands that were run for it, with what let them run. */
  readonly commands?: readonly {
    readonly command: string;
    readonly status?: string;
    readonly basis?: string;
  }[];
}

/** A skill that is about to be used: its text in parts. */
export interface PreparedSkill {
  readonly skill: Skill;
  readonly parts: readonly SkillPart[];
}
