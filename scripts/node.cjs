// Asks whether this Node is new enough, in words that an old one understands. It is loaded before anything that needs a newer
// one (`node -r`), and stands at the beginning of the built program.
'use strict';

/** Ends the process with a sentence where Node is older than the first of 20 and 22 that will do. */
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
