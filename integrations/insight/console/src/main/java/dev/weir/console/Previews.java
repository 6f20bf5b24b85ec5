package dev.weir.console;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.recorder.Preview;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Previews of changes, one at a time, because each takes a processor for up to some seconds. Thread-safe. */
final class Previews {
    private final LimiterRegistry registry;
    private final ManagedLimiter one = Limiters.of("previews of a console", new Semaphore(1));

    Previews(LimiterRegistry registry) {
        this.registry = registry;
    }

    /** The answer to one; without a recording, its settings are checked all the same. Throws if they are wrong. */
    Answer of(String name, PostedFields fields) {
        String patch = fields.entry("patch");
        if (!(one.tryAcquire() instanceof Permit permit)) {
            return Answer.problems(429, "previews must be one at a time").with("Retry-After", "1");
        }
        try {
            Preview seen = registry.preview(name, patch);
            return Answer.json(200, JsonWriter.object(json -> write(json, seen)));
        } catch (CancellationException e) {
            return Answer.problems(503, "the preview took too long");
        } catch (IllegalStateException e) {
            List<String> unsure = List.of(String.valueOf(e.getMessage()));
            return Answer.json(
                    200,
                    JsonWriter.object(
                            json -> json.text("text", "").number("requests", 0L).texts("unsure", unsure)));
        } finally {
            permit.close();
        }
    }

    private static void write(JsonWriter json, Preview seen) {
        String doubts = seen.unsure().isEmpty() ? "" : ", unsure: " + String.join("; ", seen.unsure());
        String line = seen.toString();
        json.text("text", line.endsWith(doubts) ? line.substring(0, line.length() - doubts.length()) : line)
                .number("requests", seen.requests())
                .number("refusedInFact", seen.refusedInFact())
                .number("refusedAsItIs", seen.refusedAsItIs())
                .number("wouldRefuse", seen.wouldRefuse())
                .number("low", seen.low())
                .number("high", seen.high())
                .number("p50WaitMs", seen.waitP50().toMillis())
                .number("p99WaitMs", seen.waitP99().toMillis())
                .number("spanSeconds", seen.span().toSeconds())
                .text("settingsThen", seen.settingsThen())
                .number("limitThen", seen.limitThen())
                .texts("unsure", seen.unsure());
    }
}
