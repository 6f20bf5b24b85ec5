package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.store.Reply;
import dev.weir.store.internal.Joining;
import dev.weir.store.internal.Outgoing;
import dev.weir.store.state.Operation;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RateCallsTest {
    private static final int ALONE = Outgoing.COMMANDS + Outgoing.BESIDE;
    private static final RedisRate RATE = RedisRate.of(TokenBucket.of(10, Duration.ofHours(1)));

    /** Commands that the test answers. Keys of the same length are a group. */
    private static final class Server implements Scripts {
        private final List<List<String>> commands = new ArrayList<>();
        private final List<CompletableFuture<List<Object>>> answers = new ArrayList<>();

        @Override
        public CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments) {
            assertSame(Script.LIMIT, script);
            commands.add(keys.stream().map(key -> new String(key, US_ASCII)).toList());
            answers.add(new CompletableFuture<>());
            return answers.get(answers.size() - 1);
        }

        @Override
        public int groups() {
            return 100;
        }

        @Override
        public int group(byte[] key) {
            return key.length;
        }

        /** Each key is granted as many permits as its last character says; none = an error. */
        private void answer(int command) {
            List<Object> answer = new ArrayList<>();
            for (String key : commands.get(command)) {
                char last = key.charAt(key.length() - 1);
                answer.add(Character.isDigit(last) ? (Object) (long) (last - '0') : key.getBytes(US_ASCII));
                answer.addAll(List.of(0L, 0L, 0L, 0L, 0L, 0L));
            }
            answers.get(command).complete(answer);
        }
    }

    private final Server server = new Server();
    private final RateCalls calls = new RateCalls(server, new VirtualTime());

    private CompletableFuture<Reply> call(String key) {
        return calls.run(RATE.call(key.getBytes(US_ASCII), Operation.ACQUIRE, 1, 0))
                .toCompletableFuture();
    }

    /** So many calls that those after them go together. */
    private void occupy(String key) {
        for (int i = 0; i < ALONE; i++) {
            CompletableFuture<Reply> unused = call(key);
        }
    }

    private List<CompletableFuture<Reply>> joined(String... keys) {
        occupy(keys[0]);
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (String key : keys) {
            replies.add(call(key));
        }
        for (int i = 0; i < ALONE - 1; i++) {
            server.answer(i);
        }
        return replies;
    }

    @Test
    void callsOfOneGroupGoTogetherAndEachGetsItsOwnAnswer() {
        List<CompletableFuture<Reply>> replies = joined("a1", "b2", "b2", "c3");
        assertEquals(List.of("a1", "b2", "b2", "c3"), server.commands.get(ALONE));
        server.answer(ALONE);
        assertEquals(
                List.of(1L, 2L, 2L, 3L),
                replies.stream().map(reply -> reply.join().granted()).toList());
    }

    @Test
    void callsOfAnotherGroupDoNotWaitForThem() {
        occupy("a1");
        CompletableFuture<Reply> waits = call("a1");
        CompletableFuture<Reply> other = call("long1");
        assertEquals(List.of("long1"), server.commands.get(ALONE));
        server.answer(ALONE);
        assertEquals(1, other.join().granted());
        assertTrue(!waits.isDone());
    }

    @Test
    void aCallThatFailsDoesNotFailTheOthers() {
        List<CompletableFuture<Reply>> replies = joined("a1", "bx", "c3");
        server.answer(ALONE);
        assertEquals(1, replies.get(0).join().granted());
        CompletionException thrown = assertThrows(CompletionException.class, replies.get(1)::join);
        assertEquals("bx", thrown.getCause().getMessage());
        assertEquals(3, replies.get(2).join().granted());
    }

    @Test
    void D4_callsAtASlotThatMovesAreRunOneByOne() {
        List<CompletableFuture<Reply>> replies = joined("a1", "b2", "c3");
        server.answers.get(ALONE).completeExceptionally(new IllegalStateException("TRYAGAIN Multiple keys request"));
        assertEquals(
                List.of(List.of("a1"), List.of("b2"), List.of("c3")), server.commands.subList(ALONE + 1, ALONE + 4));
        server.answer(ALONE + 3);
        server.answers.get(ALONE + 2).completeExceptionally(new IllegalStateException("TRYAGAIN again"));
        server.answer(ALONE + 1);
        assertEquals(1, replies.get(0).join().granted());
        assertThrows(CompletionException.class, replies.get(1)::join);
        assertEquals(3, replies.get(2).join().granted());
        assertEquals(ALONE + 4, server.commands.size());
    }

    @Test
    void D4_noOtherErrorIsRunAgain() {
        List<CompletableFuture<Reply>> replies = joined("a1", "b2");
        server.answers.get(ALONE).completeExceptionally(new IllegalStateException("LOADING Redis is loading"));
        replies.forEach(reply -> assertThrows(CompletionException.class, reply::join));
        assertEquals(ALONE + 1, server.commands.size());
    }

    @Test
    void anAnswerThatIsTooShortFailsAllOfItsCalls() {
        List<CompletableFuture<Reply>> replies = joined("a1", "b2");
        server.answers.get(ALONE).complete(List.of(1L, 0L, 0L, 0L, 0L, 0L, 0L));
        replies.forEach(reply -> assertThrows(CompletionException.class, reply::join));
    }

    @Test
    void aCommandHasAtMostAsManyKeysAsGoTogether() {
        occupy("a1");
        for (int i = 0; i < 2 * Joining.TOGETHER; i++) {
            CompletableFuture<Reply> unused = call("a1");
        }
        assertEquals(ALONE + 2, server.commands.size());
        assertEquals(Joining.TOGETHER, server.commands.get(ALONE).size());
    }
}
