package dev.weir.store.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JoiningTest {
    private static final int ALONE = Outgoing.COMMANDS + Outgoing.BESIDE;

    private record Sent(List<Integer> calls, CompletableFuture<List<String>> reply) {
        void answer() {
            reply.complete(calls.stream().map(String::valueOf).toList());
        }
    }

    private final List<Sent> sent = new ArrayList<>();
    private final Joining<Integer, String> joining = new Joining<>(new VirtualTime(), this::send);

    private CompletionStage<List<String>> send(List<Integer> calls) {
        Sent command = new Sent(List.copyOf(calls), new CompletableFuture<>());
        sent.add(command);
        return command.reply();
    }

    private List<CompletableFuture<String>> call(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> joining.call(i).toCompletableFuture())
                .toList();
    }

    private static void assertAnswered(int from, List<CompletableFuture<String>> calls) {
        for (int i = 0; i < calls.size(); i++) {
            assertEquals(String.valueOf(from + i), calls.get(i).join());
        }
    }

    @Test
    void fewCallsGoAtOnceAndAlone() {
        List<CompletableFuture<String>> calls = call(0, ALONE);
        assertEquals(ALONE, sent.size());
        sent.forEach(command -> assertEquals(1, command.calls().size()));
        sent.forEach(Sent::answer);
        assertAnswered(0, calls);
    }

    @Test
    void callsWaitForACommandToEndAndGoTogetherInOrder() {
        List<CompletableFuture<String>> calls = call(0, ALONE + 10);
        assertEquals(ALONE, sent.size());
        sent.subList(0, Outgoing.BESIDE).forEach(Sent::answer);
        assertEquals(ALONE, sent.size(), "two are on their way still");
        sent.get(Outgoing.BESIDE).answer();
        assertEquals(ALONE + 1, sent.size());
        assertEquals(
                IntStream.range(ALONE, ALONE + 10).boxed().toList(),
                sent.get(ALONE).calls());
        assertFalse(calls.get(ALONE).isDone());
        sent.subList(Outgoing.BESIDE + 1, ALONE + 1).forEach(Sent::answer);
        assertAnswered(0, calls);
    }

    @Test
    void callsThatFillACommandDoNotWait() {
        call(0, ALONE + Joining.TOGETHER - 1);
        assertEquals(ALONE, sent.size());
        call(ALONE + Joining.TOGETHER - 1, ALONE + Joining.TOGETHER);
        assertEquals(ALONE + 1, sent.size());
        assertEquals(Joining.TOGETHER, sent.get(ALONE).calls().size());
    }

    /** A second thread makes a call after the first has taken its own and before it has sent it. */
    @Test
    void noCallOvertakesOneThatWasMadeBefore() {
        List<Integer> order = new ArrayList<>();
        List<Joining<Integer, String>> here = new ArrayList<>();
        here.add(new Joining<>(new VirtualTime(), calls -> {
            if (calls.contains(1)) {
                CompletableFuture.runAsync(() -> here.get(0).call(2)).join();
            }
            order.addAll(calls);
            return new CompletableFuture<>();
        }));
        here.get(0).call(1);
        assertEquals(List.of(1, 2), order);
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsIsNotSent() {
        call(0, ALONE);
        List<CallStage<String>> waiting = new ArrayList<>();
        for (int i = ALONE; i < ALONE + 4; i++) {
            waiting.add(joining.call(i));
        }
        CallStage<String> sum = waiting.get(2).map(answer -> answer + "!");
        assertInstanceOf(CancellationException.class, waiting.get(0).cancelUnsent());
        assertInstanceOf(CancellationException.class, sum.cancelUnsent());
        assertTrue(sum.isCompletedExceptionally());
        assertNull(sum.cancelUnsent());
        List.copyOf(sent).forEach(Sent::answer);
        assertEquals(List.of(ALONE + 1, ALONE + 3), sent.get(ALONE).calls());
        assertNull(waiting.get(1).cancelUnsent(), "it was sent");
        sent.get(ALONE).answer();
        assertEquals(String.valueOf(ALONE + 1), waiting.get(1).join());
    }

    @Test
    void callsThatAreCancelledDoNotFillACommand() {
        call(0, ALONE);
        for (int i = 0; i < Joining.TOGETHER - 1; i++) {
            joining.call(i).cancelUnsent();
        }
        call(0, Joining.TOGETHER - 1);
        assertEquals(ALONE, sent.size());
        call(0, 1);
        assertEquals(ALONE + 1, sent.size());
    }

    @Test
    void aCommandThatFailsFailsItsCallsOnly() {
        List<CompletableFuture<String>> calls = call(0, ALONE + 10);
        IllegalStateException why = new IllegalStateException("lost");
        sent.subList(0, ALONE - 1).forEach(command -> command.reply().completeExceptionally(why));
        assertEquals(ALONE + 1, sent.size());
        sent.get(ALONE).answer();
        assertAnswered(ALONE, calls.subList(ALONE, ALONE + 10));
        for (CompletableFuture<String> failed : calls.subList(0, ALONE - 1)) {
            assertSame(
                    why, assertThrows(CompletionException.class, failed::join).getCause());
        }
        assertFalse(calls.get(ALONE - 1).isDone());
    }

    @Test
    void asManyAnswersAsCallsAreNeeded() {
        List<CompletableFuture<String>> calls = call(0, 2);
        sent.get(0).reply().complete(List.of());
        sent.get(1).reply().complete(List.of("1", "2"));
        for (CompletableFuture<String> call : calls) {
            assertThrows(CompletionException.class, call::join);
        }
        call(2, 4);
        assertEquals(4, sent.size());
    }

    @Test
    void whatTheSenderThrowsFailsTheCall() {
        Joining<Integer, String> throwing = new Joining<>(new VirtualTime(), calls -> {
            throw new IllegalStateException("not connected");
        });
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<String> call = throwing.call(i).toCompletableFuture();
            assertTrue(call.isCompletedExceptionally());
        }
    }

    @Test
    void manyThatWaitAreSentWithoutRecursionIfEachEndsAtOnce() {
        List<CompletableFuture<List<String>>> first = new ArrayList<>();
        List<Integer> depths = new ArrayList<>();
        Joining<Integer, String> failing = new Joining<>(new VirtualTime(), calls -> {
            if (first.size() < ALONE) {
                first.add(new CompletableFuture<>());
                return first.get(first.size() - 1);
            }
            depths.add(new Throwable().getStackTrace().length);
            return CompletableFuture.failedFuture(new IllegalStateException("not connected"));
        });
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < ALONE + Joining.TOGETHER - 1; i++) {
            calls.add(failing.call(i).toCompletableFuture());
        }
        CompletableFuture<String> again = calls.get(ALONE).exceptionallyCompose(lost -> {
            for (int i = 0; i < 10_000; i++) {
                assertTrue(failing.call(i).toCompletableFuture().isCompletedExceptionally());
            }
            return failing.call(-1);
        });
        first.forEach(each -> each.completeExceptionally(new IllegalStateException("lost")));
        assertTrue(again.isCompletedExceptionally());
        calls.forEach(call -> assertTrue(call.isCompletedExceptionally()));
        int least = depths.stream().mapToInt(depth -> depth).min().orElseThrow();
        int most = depths.stream().mapToInt(depth -> depth).max().orElseThrow();
        assertTrue(most - least < 30, least + " to " + most);
    }
}
