// The site is the Markdown of the repository: its root is that of the site, so that a link is the same on GitHub.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(docs)

const page = (text, path) => ({ text, link: `/${path}` })

/** The pages of a folder, each by its first heading. */
const pages = (folder) =>
  readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .sort()
    .map((file) => {
      const heading = readFileSync(join(docs, folder, file), 'utf8').match(/^# (.*)/m)[1]
      return page(heading, `docs/${folder}/${file.slice(0, -3)}`)
    })

const samples = readdirSync(join(root, 'samples/src/main/java/dev/weir/samples'))
  .filter((file) => /^S\d\d_/.test(file))
  .sort()
  .map((file) => {
    const title = file.slice(1, -5).replace('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
    return page(title, `docs/samples/${file.slice(0, -5)}`)
  })

const sidebar = [
  {
    text: 'Start',
    items: [
      page('A first day', 'docs/start/first-day'),
      page('Weir', ''),
      page('Five minutes in Spring Boot', 'docs/start/spring-boot'),
      page('Plain Java', 'docs/start/plain-java'),
      page('Choosing a limit', 'docs/start/choosing'),
      page('Coming from Resilience4j', 'docs/start/from-resilience4j'),
      page('Coming from Sentinel', 'docs/start/from-sentinel'),
      page('Coming from Guava', 'docs/start/from-guava'),
      page('Coming from Bucket4j', 'docs/start/from-bucket4j'),
      page('Coming from Spring', 'docs/start/from-spring'),
      { text: 'Samples', collapsed: true, items: samples },
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Waiting', 'docs/guides/waiting'),
      page('Executors', 'docs/guides/executors'),
      page('Hot reload', 'docs/guides/reload'),
      page('Operate: ten questions', 'docs/guides/operate'),
      page('The console', 'docs/guides/console'),
      page('Production checklist', 'docs/guides/production'),
      page('Troubleshooting', 'docs/guides/troubleshooting'),
      page('Values of the application', 'docs/guides/values'),
      page('Warm-up', 'docs/guides/warm-up'),
      page('Retries', 'docs/guides/retries'),
      page('By key', 'docs/guides/by-key'),
      page('By cost', 'docs/guides/cost'),
      page('Adaptive limits', 'docs/guides/adaptive'),
      page('Signals', 'docs/guides/signals'),
      page('Many machines', 'docs/guides/many-machines'),
      page('Write a store of your own', 'docs/guides/own-store'),
      page('HTTP', 'docs/guides/http'),
      page('Limits by annotation', 'docs/guides/annotation'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Documents and their fields', 'docs/documents'),
      page('Meters', 'docs/reference/meters'),
      page('Dependencies', 'docs/dependencies'),
      page('Versions', 'docs/versioning'),
      page('Changes of each release', 'CHANGELOG'),
    ].filter((item) => existsSync(join(root, `${item.link}.md`))),
  },
  {
    text: 'How it works',
    items: [
      page('Crest', 'docs/how/crest'),
      page('The way of a request', 'docs/how/ways'),
      page('What a change keeps', 'docs/how/changes'),
      page('Shares of a quota', 'docs/how/share'),
      page('Limits counted by Redis', 'docs/how/redis'),
      page('The arithmetic of stores', 'docs/how/stores'),
      page('Synchronization', 'docs/synchronization'),
    ],
  },
  {
    text: 'Proof',
    items: [
      page('Compared', 'docs/proof/compared'),
      page('In the simulator', 'docs/proof/sim'),
      page('Previews and the truth', 'docs/proof/preview'),
      page('Costs known afterwards', 'docs/proof/tokens'),
      page('Limits counted by a store', 'docs/proof/stores'),
      page('Invariants', 'docs/proof/invariants'),
      page('Testing', 'docs/testing'),
    ],
  },
  {
    text: 'Contribute',
    items: [
      page('Contributing', 'CONTRIBUTING'),
      page('Add one thing', 'docs/contribute/add'),
      page('Vocabulary', 'docs/contribute/vocabulary'),
      { text: 'Decisions', collapsed: true, items: pages('decisions') },
      page('Security', 'SECURITY'),
      page('Code of conduct', 'CODE_OF_CONDUCT'),
    ],
  },
]

/** The page that shows a file of the repository, or null. */
function shown(file) {
  const sample = file.match(/^samples\/src\/main\/java\/dev\/weir\/samples\/(S\d\d_\w+)\.java$/)
  return ['README.md', 'docs/index.md'].includes(file) ? '/' : sample ? `/docs/samples/${sample[1]}` : null
}

/** Links to files that are no pages lead to the pages that show them. The front page is not where its file is. */
function links(md) {
  const open = md.renderer.rules.link_open
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const [path, anchor] = tokens[index].attrGet('href').split('#')
    const isFront = env.relativePath === 'index.md'
    const file = posix.join(isFront ? 'docs' : posix.dirname(env.relativePath), path)
    if (path && !/^[a-z]+:/.test(path) && (shown(file) || isFront)) {
      tokens[index].attrSet('href', (shown(file) ?? `/${file}`) + (anchor ? `#${anchor}` : ''))
    }
    return open(tokens, index, options, env, self)
  }
}

/** Tells the style sheet how far each line of code is indented, and how many columns the widest one has. */
const columns = {
  pre(node) {
    node.properties.style = `--columns: ${Math.max(...this.source.split('\n').map((line) => line.length))}`
  },
  line(node, number) {
    node.properties.style = `--indent: ${this.source.split('\n')[number - 1].search(/\S|$/)}ch`
  },
}

/** Guides come before proof, decisions and changes of releases; a number is found as it is. Functions go to the browser as text. */
export const searchOptions = {
  boostDocument: (id) => (/proof|decisions|CHANGELOG|testing/.test(id) ? 0.1 : /guides|start/.test(id) ? 2 : 1),
  fuzzy: (term) => (/^\d+$/.test(term) ? false : 0.2),
}

export default {
  title: 'Weir',
  description: 'Limits for Java services: by rate, by concurrency, by key, on many machines, changed while they run.',
  srcDir: '..',
  srcExclude: ['README.md', '**/target/**', '*/src/**', 'integrations/**', 'verification/**', '.*/**'],
  rewrites: { 'docs/index.md': 'index.md' },
  outDir: 'target/site',
  cacheDir: 'target/cache',
  markdown: {
    config: links,
    codeTransformers: [columns],
    // As on GitHub, so that a link to a heading is right in both.
    anchor: {
      slugify: (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-'),
    },
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions } } },
    outline: [2, 3],
    sidebar,
    nav: sidebar.map(({ text, items }) => ({ text, link: (items[0].link === '/' ? items[1] : items[0]).link })),
  },
  // Pages are outside of this folder, where no other import of Vue is found.
  vite: { resolve: { alias: { vue: join(docs, 'node_modules/vue') } } },
}
