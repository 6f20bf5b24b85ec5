package dev.weir.console;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.SlidingLog;
import dev.weir.console.Sessions.Session;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Function;

/**
 * The pace of logins: those that fail are at most 20 a minute by all callers together, so that a token cannot be guessed. Sessions that are
 * open are not concerned. Thread-safe.
 */
final class Logins {
    private static final Logger LOG = System.getLogger(Logins.class.getName());
    private static final int FAILED_A_MINUTE = 20;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Request ATTEMPT = Request.ONE.refundable();

    private final Sessions sessions;
    private final ManagedLimiter failed;
    private final ManagedLimiter logged;

    Logins(Sessions sessions, Ticker ticker) {
        this.sessions = sessions;
        failed = Limiters.builder("failed logins of a console", new SlidingLog(FAILED_A_MINUTE, MINUTE))
                .ticker(ticker)
                .build();
        logged = Limiters.builder("logged logins of a console", new SlidingLog(1, MINUTE))
                .ticker(ticker)
                .build();
    }

    /** The answer to who gives this token: {@code entered} to the right one. */
    Answer answer(String token, String from, Function<Session, Answer> entered) {
        Decision decision = failed.tryAcquire(ATTEMPT);
        if (!(decision instanceof Permit attempt)) {
            return Answer.tooMany(
                    "logins with a wrong token must be at most " + FAILED_A_MINUTE + " a minute", (Rejection) decision);
        }
        Session session = sessions.start(token);
        if (session != null) {
            attempt.release(Outcome.CANCELLED); // it does not count
            return entered.apply(session);
        }
        if (logged.tryAcquire() instanceof Permit) {
            LOG.log(
                    Level.WARNING,
                    "a token was given that is none of this console, from {0}; more of them are not logged for a minute",
                    from);
        }
        return Answer.problems(401, "token must be that of a file of this console");
    }
}
