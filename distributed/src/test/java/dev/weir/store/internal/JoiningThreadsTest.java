package dev.weir.store.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real threads: each call gets its own answer, and none is left waiting. */
@Tag("proof")
class JoiningThreadsTest {
    private static final int THREADS = 4;
    private static final int CALLS = 2_000;
    /** So few that a round ends often. */
    private static final int FEW = 4;

    private final ExecutorService callers = Executors.newFixedThreadPool(THREADS);
    private final ExecutorService store = Executors.newFixedThreadPool(2);

    @AfterEach
    void shutdown() {
        callers.shutdownNow();
        store.shutdownNow();
    }

    private CompletionStage<List<Integer>> answer(List<Integer> calls) {
        List<Integer> own = List.copyOf(calls);
        return CompletableFuture.supplyAsync(
                () -> own.stream().map(call -> -call).toList(), store);
    }

    private void round(int count, int seconds, Function<Integer, CompletionStage<Integer>> joining) throws Exception {
        List<Future<List<CompletableFuture<Integer>>>> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int from = t * count;
            threads.add(callers.submit(() -> {
                List<CompletableFuture<Integer>> calls = new ArrayList<>();
                for (int i = from; i < from + count; i++) {
                    calls.add(joining.apply(i).toCompletableFuture());
                }
                return calls;
            }));
        }
        for (int t = 0; t < THREADS; t++) {
            List<CompletableFuture<Integer>> calls = threads.get(t).get();
            for (int i = 0; i < count; i++) {
                assertEquals(-(t * count + i), calls.get(i).get(seconds, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void eachCallIsAnsweredAndNoneIsLeft() throws Exception {
        AtomicInteger commands = new AtomicInteger();
        int rounds = Stress.seconds(1, 20, 600).repeat(5, round -> {
            Joining<Integer, Integer> joining = new Joining<>(Ticker.system(), calls -> {
                assertTrue(calls.size() <= Joining.TOGETHER);
                commands.incrementAndGet();
                return answer(calls);
            });
            round(CALLS, 60, joining::call);
            for (int i = 0; i < CALLS / FEW; i++) {
                round(FEW, 60, joining::call);
            }
        });
        assertTrue(commands.get() < 2 * rounds * THREADS * CALLS, "none went together");
    }

    @Test
    void theTwinThatLooksBeforeItAddsLeavesCalls() {
        assertThrows(TimeoutException.class, () -> {
            Twin twin = new Twin();
            for (int i = 0; i < 1_000_000; i++) {
                round(FEW, 2, twin::call);
            }
        });
    }

    /** The same, but a call is added after it was seen that it has to wait: the last command may have ended meanwhile. */
    private final class Twin {
        private record Call(int call, CompletableFuture<Integer> answer) {}

        private final Queue<Call> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger onTheirWay = new AtomicInteger();

        private CompletionStage<Integer> call(int call) {
            Call added = new Call(call, new CompletableFuture<>());
            if (onTheirWay.get() < Outgoing.COMMANDS) {
                onTheirWay.incrementAndGet();
                send(List.of(added));
            } else {
                waiting.add(added);
            }
            return added.answer;
        }

        private void send(List<Call> calls) {
            answer(calls.stream().map(Call::call).toList()).thenAccept(answers -> {
                onTheirWay.decrementAndGet();
                List<Call> next = new ArrayList<>();
                for (Call each = waiting.poll(); each != null; each = waiting.poll()) {
                    next.add(each);
                }
                if (!next.isEmpty()) {
                    onTheirWay.incrementAndGet();
                    send(next);
                }
                for (int i = 0; i < answers.size(); i++) {
                    calls.get(i).answer.complete(answers.get(i));
                }
            });
        }
    }
}
