/** The client outside browsers, whose sockets tell of a refused connection each in its own way. */

import assert from "node:assert/strict";
import { createServer, type AddressInfo } from "node:net";
import test from "node:test";
import { WebSocket as SocketOfPackage } from "ws";
import { TreewhileClient, type ConnectionStatus } from "../../web/source/client/index.ts";

const SOCKETS = { "Node's own": globalThis.WebSocket, "the package ws": SocketOfPackage };

for (const [name, socket] of Object.entries(SOCKETS)) {
  const skip = socket ? false : "this Node has no WebSocket: use --experimental-websocket";
  test(
    `a refused connection is tried again at once, and ends no process: ${name}`,
    { skip, timeout: 60_000 },
    async (t) => {
      const before = globalThis.WebSocket;
      globalThis.WebSocket = socket as typeof WebSocket;
      const client = new TreewhileClient(`ws://127.0.0.1:${await unusedPort()}/`);
      t.after(() => {
        client.close();
        globalThis.WebSocket = before;
      });
      for (let attempt = 0; attempt < 2; attempt++) {
        const { reason } = await refusal(client);
        assert.ok(["", "the server cannot be reached"].includes(reason), reason);
      }
      client.connect();
      client.close(); // while the socket still connects
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(client.status.state, "closed");
    },
  );
}

/** Connects, and tells how the connection is waited for. */
function refusal(client: TreewhileClient): Promise<ConnectionStatus> {
  return new Promise((resolve) => {
    const stop = client.statusChanged.listen((status) => {
      if (status.state !== "waiting") return;
      stop();
      resolve(status);
    });
    client.connect();
  });
}

/** A port at which nobody listens any more. */
function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
