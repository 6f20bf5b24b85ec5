package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class AttemptsTest {
    private final VirtualTime time = new VirtualTime();
    private final List<CompletableFuture<String>> begun = new ArrayList<>();
    private final List<String> used = new ArrayList<>();
    private final List<String> discarded = new ArrayList<>();
    private boolean closed;

    private void begin() {
        Attempts.begin(time, new Attempts.Connector<String>() {
            @Override
            public CompletionStage<String> connect() {
                begun.add(new CompletableFuture<>());
                return begun.get(begun.size() - 1);
            }

            @Override
            public void use(String made) {
                used.add(made);
            }

            @Override
            public void discard(String made) {
                discarded.add(made);
            }

            @Override
            public boolean isClosed() {
                return closed;
            }
        });
    }

    private void after(int millis) {
        time.advance(Duration.ofMillis(millis));
    }

    @Test
    void anAttemptThatFailedIsFollowedByAnother() {
        begin();
        for (int i = 1; i <= 5; i++) {
            assertEquals(i, begun.size());
            begun.get(i - 1).completeExceptionally(new IllegalStateException("refused"));
            after(100);
        }
        begun.get(5).complete("server");
        after(10_000);
        assertEquals(List.of("server"), used);
        assertEquals(6, begun.size());
    }

    @Test
    void anotherBeginsBesideAnAttemptThatWaits() {
        begin();
        after(299);
        assertEquals(1, begun.size());
        after(1);
        assertEquals(2, begun.size());
        begun.get(1).complete("successor");
        assertEquals(List.of("successor"), used);
        after(10_000);
        begun.get(0).complete("halted");
        assertEquals(List.of("successor"), used);
        assertEquals(List.of("halted"), discarded);
        assertEquals(2, begun.size());
    }

    @Test
    void oneThatFailsLateIsFollowedAfterTheOthersThatWait() {
        begin();
        after(300);
        begun.get(0).completeExceptionally(new IllegalStateException("timeout"));
        after(200);
        assertEquals(2, begun.size());
        after(100);
        assertEquals(3, begun.size());
        begun.get(1).complete("server");
        begun.get(2).completeExceptionally(new IllegalStateException("closed"));
        after(10_000);
        assertEquals(List.of("server"), used);
        assertEquals(List.of(), discarded);
    }

    @Test
    void noneBeginsOnceItIsClosed() {
        begin();
        closed = true;
        begun.get(0).completeExceptionally(new IllegalStateException("refused"));
        after(10_000);
        assertEquals(1, begun.size());
    }
}
