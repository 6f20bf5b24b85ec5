// A page for each sample.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../samples/src/main/java/dev/weir/samples/', import.meta.url))

function content(file) {
  const source = readFileSync(folder + file, 'utf8').replace(/^ *\/\/ #(?:end)?region .*\n/gm, '')
  return `\`./weir sample ${file.slice(1, 3)}\` runs it.\n\n\`\`\`java\n${source}\`\`\`\n`
}

export default {
  paths: () =>
    readdirSync(folder)
      .filter((file) => /^S\d\d_/.test(file))
      .map((file) => ({
        params: { sample: file.slice(0, -5), title: `Sample ${file.slice(1, 3)}` },
        content: content(file),
      })),
}
