/** Skills and custom commands: prompts in files, which the user runs as `/name` and the model as a tool call. */

/** The front matter of a skill or command file. */
export interface Skill {
  /** Without the slash; `:` separates the folders of a command. */
  readonly name: string;
  /** A folder with a SKILL.md, or a Markdown file in a folder of commands. */
  readonly kind: 'skill' | 'command';
  /** One line, at most 1,024 characters. */
  readonly description: string;
  /** Shown after the name, e.g. "[issue] [branch]". */
  readonly argumentHint?: string;
  /** Absolute path of the SKILL.md or command file. */
  readonly file: string;
  /** Whether it belongs to the user or the repository. */
  readonly scope: 'user' | 'project';
  /** The plugin that contains it. */
  readonly plugin?: string;
  /** False with `disable-model-invocation: true`. */
  readonly modelCanUse: boolean;
  /** False with `user-invocable: false`. */
  readonly userCanUse: boolean;
  /** Permission rules that apply for the rest of the turn that uses it. */
  readonly allowedTools: readonly string[];
  /** Rules of a repository's skill, which apply once the user has approved them with exactly this content. */
  readonly asks?: {
    readonly tools: readonly string[];
    /** Identifies the text. */
    readonly digest: string;
    /** Identifies the text and the scripts that the rules run, as they were when the skill was read. */
    readonly approved?: string;
  };
  /** Present with `context: fork`: a subagent of this type follows the instructions, with this model if it is named. */
  readonly fork?: { readonly agent: string; readonly model?: string };
  /** Without `fork`: the model that answers until the turn ends, if it is one of the user's. */
  readonly model?: string;
  /** Keys of the front matter that are ignored, sorted. */
  readonly ignored: readonly string[];
}

/** A skill or command file that cannot be used. */
export interface SkillProblem {
  readonly file: string;
  /** One sentence for the user. */
  readonly message: string;
}

export interface SkillList {
  /** Sorted by name, without duplicates. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** A part of a skill's text after arguments are filled in. */
export type SkillPart =
  | { readonly type: 'text'; readonly text: string }
  /** `` !`command` ``, to be replaced with its output. */
  | { readonly type: 'command'; readonly command: string };

/** The text of a skill with arguments and command output filled in. */
export interface SkillText {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Commands that were run for it, with the basis of their approval. */
  readonly commands?: readonly {
    readonly command: string;
    readonly status?: string;
    readonly basis?: string;
  }[];
  readonly mentionSource?: MentionSource;
}

/** A text whose `@path` mentions are attached. */
export interface MentionSource {
  /** Without the output of commands, which mentions nothing. */
  readonly text: string;
  /** Attaches only what is in the project and needs no approval: the repository or the model may have named it. */
  readonly onlyInProject: boolean;
}

/** A skill about to be used, with its text in parts. */
export interface PreparedSkill {
  readonly skill: Skill;
  readonly parts: readonly SkillPart[];
}
