package dev.weir.console;

import dev.weir.Ticker;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The pages that have shown a token: each has a cookie, and a random text that its changes must have. Thread-safe. */
final class Sessions {
    private static final int MOST_OF_A_TOKEN = 64;
    private static final long LIFE_NANOS = TimeUnit.HOURS.toNanos(12);

    private final List<AccessToken> tokens;
    private final Ticker ticker;
    private final Map<String, Session> open = new LinkedHashMap<>();

    Sessions(List<AccessToken> tokens, Ticker ticker) {
        this.tokens = tokens;
        this.ticker = ticker;
    }

    /** One page, with the value of its cookie and the text that its changes must have. */
    record Session(String id, String check, AccessToken token, long since) {
        boolean isCheck(@Nullable String given) {
            return given != null
                    && MessageDigest.isEqual(
                            check.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** A new one for who has this token; null = it is none. Of more than 64 of one token, the oldest ends. */
    @Nullable
    Session start(String given) {
        AccessToken found = null;
        for (AccessToken token : tokens) {
            found = token.is(given) ? token : found;
        }
        if (found == null) {
            return null;
        }
        Session session = new Session(AccessToken.random(), AccessToken.random(), found, ticker.read());
        synchronized (open) {
            open.put(session.id(), session);
            List<Session> same = open.values().stream()
                    .filter(each -> each.token().equals(session.token()))
                    .toList();
            if (same.size() > MOST_OF_A_TOKEN) {
                open.remove(same.get(0).id());
            }
        }
        return session;
    }

    /** The one of this cookie, for 12 hours; null = none. */
    @Nullable
    Session find(@Nullable String id) {
        synchronized (open) {
            open.values().removeIf(session -> ticker.read() - session.since() > LIFE_NANOS);
            return id == null ? null : open.get(id);
        }
    }
}
