/** The extension for VS Code: it starts `treewhile lsp`, which does all else. */

import { workspace } from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(): Promise<void> {
  const command = workspace.getConfiguration("treewhile").get("command", "treewhile");
  const options: LanguageClientOptions = {
    documentSelector: ["plaintext", "markdown"].map((language) => ({ language })),
    middleware: {
      workspace: {
        // The command is the extension's own setting, of which the server knows nothing.
        configuration: async (asked, token, next) => {
          const blocks = await next(asked, token);
          return Array.isArray(blocks) ? blocks.map(withoutCommand) : blocks;
        },
      },
    },
  };
  client = new LanguageClient("treewhile", "treewhile", { command, args: ["lsp"] }, options);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function withoutCommand(block: Record<string, unknown> | null): Record<string, unknown> {
  const { command: _, ...settings } = block ?? {};
  return settings;
}
