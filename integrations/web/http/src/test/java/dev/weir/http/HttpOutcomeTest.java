package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class HttpOutcomeTest {
    private static final TimeoutException LATE = new TimeoutException();

    @Test
    void ofAStatus() {
        for (int status : new int[] {100, 200, 204, 302, 400, 401, 404, 413, 429, 499}) {
            assertEquals(Outcome.SUCCESS, HttpOutcome.of(status), () -> "" + status);
        }
        for (int status : new int[] {408, 500, 501, 505, 507, 599}) {
            assertEquals(Outcome.IGNORED, HttpOutcome.of(status), () -> "" + status);
        }
        for (int status : new int[] {502, 503, 504}) {
            assertEquals(Outcome.DROPPED, HttpOutcome.of(status), () -> "" + status);
        }
    }

    @Test
    void ofATimeOutInItsWrappers() {
        for (Throwable thrown : new Throwable[] {
            LATE,
            new SocketTimeoutException(),
            new ExecutionException(LATE),
            new CompletionException(new CompletionException(LATE)),
            new UndeclaredThrowableException(LATE),
            new InvocationTargetException(new UndeclaredThrowableException(new CompletionException(LATE)))
        }) {
            assertEquals(Outcome.DROPPED, HttpOutcome.of(thrown), thrown::toString);
        }
    }

    @Test
    void ofWhatSaysNothingAboutLoad() {
        Throwable loop = new CompletionException("without a cause", null);
        for (Throwable thrown : new Throwable[] {
            new IOException(
                    LATE), // the abort of a client, which some containers have wrap the time-out of a slow upload
            new IllegalStateException(LATE),
            new AssertionError(),
            new CompletionException(new IOException()),
            loop
        }) {
            assertEquals(Outcome.IGNORED, HttpOutcome.of(thrown), thrown::toString);
        }
    }

    @Test
    void ofAnInnerRefusalWhateverItsReason() {
        for (Reason reason : Reason.values()) {
            Throwable refused = new LimitExceededException(new Rejection("inner", reason, 0, 1));
            assertEquals(Outcome.IGNORED, HttpOutcome.of(refused), reason::toString);
            assertEquals(Outcome.IGNORED, HttpOutcome.of(new CompletionException(refused)), reason::toString);
        }
    }
}
