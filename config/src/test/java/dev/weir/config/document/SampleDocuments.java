package dev.weir.config.document;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/** The same document in each notation. */
final class SampleDocuments {
    private static final Map<Format, String> TEXTS = Map.of(
            Format.YAML, """
                    # limits of the shop
                    document: { version: 7, author: ops, reason: "sale: more" }
                    templates:
                      base:
                        enforce: 0.5
                        queue: { capacity: 100, max-wait: 200ms, discipline: codel }
                    limits:
                      checkout:
                        template: base
                        concurrency: &most 40
                        adaptive: { min: 10, max: 400, controller: crest, signals: [cpu, memory] }
                        queue: { discipline: { name: codel, target: 5ms } }
                      search: { rate: 100/s, burst: 200, key: [user, ip], max-keys: 100000, warm-up: 30s }
                      shop.mail:
                        all-of:
                          - { rate: 10/s, key: user }
                          - { rate: 1000/h, algorithm: sliding-window }
                        enforce: 10%
                        rollout: { percent: 10, to: { enforce: 1 } }
                      pool: { concurrency: *most, executor: { threads: 8, queue-capacity: 10 } }
                      feed:
                        rate: 50k/s
                        key: user
                        scope: store
                        mode: { name: batched, max-unused: 200, expiry: 500ms }
                        when-away: { name: local, instances: 8 }
                      orders: { concurrency: 1, share: { quota: 400, of: zookeeper, by: weight, weight: 2, degraded: 10 } }
                    values:
                      mail: { timeout: 2s, hosts: [a.example, b.example] }
                      greeting: 'hällo'
                    ...
                    """,
            Format.JSON, """
                    {
                      "document": { "version": 7, "author": "ops", "reason": "sale: more" },
                      "templates": {
                        "base": {
                          "enforce": 0.5,
                          "queue": { "capacity": 100, "max-wait": "200ms", "discipline": "codel" }
                        }
                      },
                      "limits": {
                        "checkout": {
                          "template": "base",
                          "concurrency": 40,
                          "adaptive": { "min": 10, "max": 400, "controller": "crest", "signals": ["cpu", "memory"] },
                          "queue": { "discipline": { "name": "codel", "target": "5ms" } }
                        },
                        "search": { "rate": "100/s", "burst": 200, "key": ["user", "ip"], "max-keys": 100000, "warm-up": "30s" },
                        "shop.mail": {
                          "all-of": [ { "rate": "10/s", "key": "user" }, { "rate": "1000/h", "algorithm": "sliding-window" } ],
                          "enforce": "10%",
                          "rollout": { "percent": 10, "to": { "enforce": 1 } }
                        },
                        "pool": { "concurrency": 40, "executor": { "threads": 8, "queue-capacity": 10 } },
                        "feed": {
                          "rate": "50k/s", "key": "user", "scope": "store",
                          "mode": { "name": "batched", "max-unused": 200, "expiry": "500ms" },
                          "when-away": { "name": "local", "instances": 8 }
                        },
                        "orders": {
                          "concurrency": 1,
                          "share": { "quota": 400, "of": "zookeeper", "by": "weight", "weight": 2, "degraded": 10 }
                        }
                      },
                      "values": { "mail": { "timeout": "2s", "hosts": ["a.example", "b.example"] }, "greeting": "h\\u00e4llo" }
                    }
                    """);

    /** The same as properties. */
    static final String KEYS = """
            # limits of the shop
            document.version = 7
            document.author = ops
            document.reason = sale: \\
                more
            templates.base.enforce = 0.5
            templates.base.queue.capacity = 100
            templates.base.queue.max-wait = 200ms
            templates.base.queue.discipline = codel
            limits.checkout.template = base
            limits.checkout.concurrency = 40
            limits.checkout.adaptive.min = 10
            limits.checkout.adaptive.max = 400
            limits.checkout.adaptive.controller = crest
            limits.checkout.adaptive.signals[0] = cpu
            limits.checkout.adaptive.signals[1] = memory
            limits.checkout.queue.discipline.name = codel
            limits.checkout.queue.discipline.target = 5ms
            limits.search.rate = 100/s
            limits.search.burst = 200
            limits.search.key[0] = user
            limits.search.key[1] = ip
            limits.search.max-keys = 100000
            limits.search.warm-up = 30s
            limits[shop.mail].all-of[0].rate = 10/s
            limits[shop.mail].all-of[0].key = user
            limits[shop.mail].all-of[1].rate = 1000/h
            limits.[shop.mail].all-of[1].algorithm = sliding-window
            limits.[shop.mail].enforce = 10%
            limits.[shop.mail].rollout.percent = 10
            limits.[shop.mail].rollout.to.enforce = 1
            limits.pool.concurrency = 40
            limits.pool.executor.threads = 8
            limits.pool.executor.queue-capacity = 10
            limits.feed.rate = 50k/s
            limits.feed.key = user
            limits.feed.scope = store
            limits.feed.mode.name = batched
            limits.feed.mode.max-unused = 200
            limits.feed.mode.expiry = 500ms
            limits.feed.when-away.name = local
            limits.feed.when-away.instances = 8
            limits.orders.concurrency = 1
            limits.orders.share.quota = 400
            limits.orders.share.of = zookeeper
            limits.orders.share.by = weight
            limits.orders.share.weight = 2
            limits.orders.share.degraded = 10
            values.mail.timeout = 2s
            values.mail.hosts[0] = a.example
            values.mail.hosts[1] = b.example
            values.greeting = h\\u00e4llo
            """;

    static final Map<Format, String> ALL = Map.of(
            Format.YAML, TEXTS.get(Format.YAML),
            Format.JSON, TEXTS.get(Format.JSON),
            Format.TREE, relaxed(TEXTS.get(Format.JSON)));

    private SampleDocuments() {}

    private static String relaxed(String json) {
        return json.replace("\"max-wait\"", "\"maxWait\"")
                .replace("\"max-keys\"", "\"MAX_KEYS\"")
                .replace("\"all-of\"", "\"allof\"")
                .replace("\"when-away\"", "\"when_away\"")
                .replace("\"queue-capacity\"", "\"queueCapacity\"")
                .replace("\"limits\"", "\"LIMITS\"");
    }

    /** The keys and values of the properties. */
    static Map<String, String> keys() {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(KEYS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.stringPropertyNames().stream().collect(Collectors.toMap(key -> key, properties::getProperty));
    }
}
