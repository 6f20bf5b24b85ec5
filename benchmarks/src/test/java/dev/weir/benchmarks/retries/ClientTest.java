package dev.weir.benchmarks.retries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Request;
import dev.weir.budget.RetryBudget;
import dev.weir.engine.Limiters;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The client of the page about retries. */
class ClientTest {
    private static final int MOST_RETRIES = 3;

    private Limiter payments = limiter();
    private final Deque<Boolean> failures = new ArrayDeque<>();
    private final List<Integer> pauses = new ArrayList<>();
    private int sent;

    private static Limiter limiter() {
        // #region limiter
        Limiter payments = Limiters.of("payments", RetryBudget.of(0.1, 3));
        // #endregion limiter
        return payments;
    }

    private String send() throws IOException {
        sent++;
        if (Boolean.TRUE.equals(failures.poll())) {
            throw new IOException("down");
        }
        return "paid";
    }

    private void pause(int attempt) {
        pauses.add(attempt);
    }

    // #region client
    String pay() throws Exception {
        for (int attempt = 0; ; attempt++) {
            try {
                // Priority 0 is the first attempt, which is always granted.
                return payments.call(Request.ONE.withPriority(attempt), this::send);
            } catch (IOException failed) {
                if (attempt == MOST_RETRIES) {
                    throw failed;
                }
                pause(attempt);
            } catch (LimitExceededException refused) {
                throw new IOException("failed, and no retry is left", refused);
            }
        }
    }
    // #endregion client

    @Test
    void aCallThatFailsIsRetriedWithinTheBudget() throws Exception {
        failures.addAll(List.of(true, true, false));
        assertEquals("paid", pay());
        assertEquals(List.of(0, 1), pauses);
        assertEquals(3, sent);
    }

    @Test
    void withoutABudgetLeftTheFirstFailureIsTheLast() {
        payments = Limiters.builder("payments", RetryBudget.of(0.1, 3))
                .ticker(new VirtualTime())
                .build();
        for (int i = 0; i < 100; i++) {
            failures.add(true);
        }
        assertEquals("down", assertThrows(IOException.class, this::pay).getMessage()); // 3 retries of the floor
        for (int i = 0; i < 10; i++) {
            assertThrows(IOException.class, this::pay);
        }
        assertEquals(14, sent);
    }
}
