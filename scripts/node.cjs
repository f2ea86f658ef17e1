// Checks that this Node is new enough, in syntax that an old one understands. It is loaded before anything
// that needs a newer one (`node -r`), and is the start of the built program.
'use strict';

/** Ends the process with an error if Node is older than the first supported releases of 20 and 22. */
function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return;
  process.stderr.write(
    `Busyard needs Node 20.19, 22.12 or newer; this is Node ${process.versions.node}. Newer ones are at https://nodejs.org/.\n`,
  );
  process.exit(1);
}

requireNode();
module.exports = { requireNode };
