/** What a server says about one of its tools. Allow rules are bound to it. */
export interface McpToolDefinition {
  /** Its name for the model and in rules. */
  readonly tool: string;
  readonly server: string;
  /** What is started or connected to, or the plugin that contains the server. */
  readonly target: string;
  /** The server is defined by the project, or for it. */
  readonly isOfProject: boolean;
  readonly title?: string | undefined;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Of all that is bound. */
  readonly digest: string;
  /** The digests of all tools that the server offers now, by name. */
  readonly offered: Readonly<Record<string, string>>;
}
