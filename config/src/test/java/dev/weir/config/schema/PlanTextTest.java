package dev.weir.config.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTextTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    concurrency: 40 | at most 40 at once
                    concurrency: 40, algorithm: counter | at most 40 requests at once
                    concurrency: 9, algorithm: partitioned, percents: { b: 30, a: 60 }, lent: 50 | at most 9 at once, of which 30% for b, 60% for a; 50% of what is unused is lent
                    concurrency: 9, algorithm: priority-shedding, reserved: [10, 50] | at most 9 at once; priority 1 leaves 10% free, priority 2 leaves 50% free
                    algorithm: closed | refuses everything
                    algorithm: open, key: user | for each user (at most 10000 kept) grants everything
                    rate: 1/s, key: user, key-missing: share | for each user (at most 10000 kept) 1 every 1 s, bursts of 1; requests without key share one
                    rate: 1/s, key: user, key-missing: skip | for each user (at most 10000 kept) 1 every 1 s, bursts of 1; requests without key are not limited
                    rate: 1M/s, leased: true, key: user, track-permits: 7, hot-keys: true | for each user (at most 10000 kept) leased true, rate 1M/s; tracks one permit in 7; records hot keys
                    rate: 0.5/s | 1 every 2 s, bursts of 1
                    rate: 10/s, refill: interval, initial: 0 | 10 every 1 s, all at the end of each interval, bursts of 10, 0 at the start
                    rate: 10/s, algorithm: leaky-bucket, burst: 5 | 10 every 1 s, one by one and 5 more at once
                    rate: 10/s, algorithm: pacer | 10 every 1 s, at even intervals
                    rate: 10/s, algorithm: gcra, tolerance: 1s | 10 every 1 s, each up to 1 s early
                    rate: 10/d, algorithm: fixed-window, aligned: true | 10 in each window of 1 d, in UTC
                    rate: 10/min, algorithm: sliding-window | 10 in any 1 min, counted in 10 blocks
                    rate: 10/min, algorithm: sliding-log | 10 in any 1 min
                    rate: 5/15min, algorithm: first-hit-quota | 5 within 15 min of the first
                    rate: 1M/s, leased: true | leased true, rate 1M/s
                    rate: 1/s, key: true | for each key (at most 10000 kept) 1 every 1 s, bursts of 1
                    concurrency: 4, enforce: 0 | at most 4 at once; not enforced, only counted
                    concurrency: 4, enforce: 12.5% | at most 4 at once; 12.5% of requests enforced
                    concurrency: 4, adaptive: true | at most 4 at once, adaptive 1 to 10000 by crest
                    concurrency: 4, adaptive: { controller: { name: vegas } } | at most 4 at once, adaptive 1 to 10000 by vegas
                    concurrency: 4, queue: { capacity: 5, retry: 10ms, max-permits: 7, predictive: true } | at most 4 at once; queue of 5, fifo, unfair, at most 7 permits, waits as long as the caller, refuses at once what would time out
                    rate: 10/s, scope: cluster, when-away: open | 10 every 1 s, bursts of 10; counted for all instances, exactly; while the store is away, all is granted
                    rate: 10/s, key: user, scope: cluster, mode: verdict, when-away: closed | 10 every 1 s, bursts of 10; counted for each key of all instances, by verdicts used for 1 s; while the store is away, all is refused
                    rate: 1k/s, scope: cluster, mode: leased, when-away: { name: local, instances: 8 } | 1000 every 1 s, bursts of 1000; counted for all instances, leased with at most 10 unused for 1 s; while the store is away, each instance grants its part of 8
                    concurrency: 4, share: { quota: 400, of: zookeeper, by: weight, weight: 2, degraded: 10 } | at most 4 at once; in place of that number, a share of 400 of all instances in zookeeper, by weight, here 2, and at most 10 without the registry
                    concurrency: 4, executor: { core: 1, max: 4, queue-capacity: 9 } | at most 4 at once; pool of 1 to 4 threads and a queue of 9, idle threads end after 1 min
                    """)
    void saysWhatALimitDoes(String limit, String words) throws Exception {
        byte[] content = ("limits: { it: { " + limit + " } }").getBytes(StandardCharsets.UTF_8);
        LimitsDocument document = DocumentReader.system().read("d", content, Format.YAML);
        assertEquals(List.of(), document.problems());
        assertEquals(
                "it: " + words,
                PlanText.of(Objects.requireNonNull(document.limits().get("it"))));
    }
}
