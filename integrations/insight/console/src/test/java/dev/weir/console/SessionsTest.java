package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.console.Sessions.Session;
import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private final VirtualTime time = new VirtualTime();
    private final AccessToken ann = new AccessToken("ann", true, Path.of("ann"), "a".repeat(43));
    private final AccessToken bob = new AccessToken("bob", false, Path.of("bob"), "b".repeat(43));
    private final Sessions sessions = new Sessions(List.of(ann, bob), time);

    private Session start(AccessToken token) {
        Session session = sessions.start(token.secret());
        assertNotNull(session);
        return session;
    }

    @Test
    void aSessionIsThatOfItsTokenForTwelveHours() {
        Session session = start(bob);
        assertEquals(bob, session.token());
        assertEquals(ann, start(ann).token());
        time.advance(Duration.ofHours(12));
        assertEquals(session, sessions.find(session.id()));
        time.advance(Duration.ofNanos(1));
        assertNull(sessions.find(session.id()));
        assertNull(sessions.find(null));
        assertNull(sessions.start("c".repeat(43)));
    }

    @Test
    void aCheckIsOfOneSession() {
        Session one = start(ann);
        Session other = start(ann);
        assertTrue(one.isCheck(one.check()));
        assertFalse(one.isCheck(other.check()) || one.isCheck(null) || one.isCheck("") || one.isCheck(one.id()));
    }

    @Test
    void ofMoreThan64OfATokenItsOldestEnds() {
        Session anns = start(ann);
        Session oldest = start(bob);
        Session second = start(bob);
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 63; i++) {
            ids.add(start(bob).id());
        }
        assertEquals(63, ids.size());
        assertNull(sessions.find(oldest.id()));
        assertEquals(second, sessions.find(second.id()));
        assertEquals(anns, sessions.find(anns.id()));
    }

    @Test
    void noTextOfATokenShowsIt() {
        assertFalse(ann.toString().contains(ann.secret()));
    }
}
