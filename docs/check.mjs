// Each link and anchor of the built site leads somewhere, each page is in the sidebar, and the search finds guides before proof.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import config, { searchOptions } from './.vitepress/config.mjs'

const docs = dirname(fileURLToPath(import.meta.url))
const wrong = []

const isFile = (path) => existsSync(path) && statSync(path).isFile()

const links = (items) => items.flatMap((item) => [...(item.link ? [item.link] : []), ...links(item.items ?? [])])

/** Of a folder, relative to it. */
const files = (folder, ending) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) {
      const inside = ['node_modules', 'target'].includes(entry.name) ? [] : files(join(folder, entry.name), ending)
      return inside.map((file) => `${entry.name}/${file}`)
    }
    return entry.name.endsWith(ending) ? [entry.name] : []
  })

const built = join(docs, config.outDir)
const html = new Map(files(built, '.html').map((file) => [file, readFileSync(join(built, file), 'utf8')]))
const idsOf = (text) => new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
const ids = new Map([...html].map(([file, text]) => [file, idsOf(text)]))
for (const [file, text] of html) {
  for (const [, link] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
    if (/^(?:[a-z]+:|\/\/)/.test(link)) {
      continue
    }
    const [path, anchor] = link.replaceAll('&amp;', '&').split('#').map(decodeURIComponent)
    let target = path === '' ? file : path.startsWith('/') ? path.slice(1) : normalize(join(dirname(file), path))
    if (target === '' || target.endsWith('/')) {
      target += 'index.html'
    }
    const page = html.has(target) ? target : `${target}.html`
    if (html.has(page) ? anchor && !ids.get(page).has(anchor) : !isFile(join(built, target))) {
      wrong.push(`${file}: ${link}`)
    }
  }
}
const listed = new Set(links(config.themeConfig.sidebar))
for (const file of html.keys()) {
  if (file !== '404.html' && !listed.has(`/${file.replace(/(?:^index)?\.html$/, '')}`)) {
    wrong.push(`${file} is not in the sidebar`)
  }
}
const index = readdirSync(join(built, 'assets/chunks')).find((chunk) => chunk.includes('localSearchIndex'))
const search = MiniSearch.loadJSON((await import(join(built, 'assets/chunks', index))).default, {
  fields: ['title', 'titles', 'text'],
  searchOptions: { prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
})
for (const words of ['429', '503', 'Retry-After', 'queue', 'burst', 'Redis', 'Resilience4j', 'latency']) {
  const found = search.search(words).slice(0, 3)
  if (found.length === 0 || found.some(({ id }) => id.includes('/proof/'))) {
    wrong.push(`a search for ${words} finds ${found.map(({ id }) => id)}`)
  }
}
console.log(`${html.size} pages`)
wrong.forEach((line) => console.error(line))
process.exitCode = wrong.length === 0 ? 0 : 1
