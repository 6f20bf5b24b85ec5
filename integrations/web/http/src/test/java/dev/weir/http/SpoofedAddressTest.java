package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.http.ClientAddress.Header;
import dev.weir.testkit.Seed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Headers that clients invent. */
@Tag("property")
class SpoofedAddressTest {
    private static final int HEADERS = 10_000;
    private static final int LONG = 8192;

    private static String invented(SplittableRandom random) {
        int length = random.nextInt(20) == 0 ? LONG : random.nextInt(60);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(Seed.oneOf(
                    random,
                    "1.2.3." + random.nextInt(300),
                    "[2001:db8::" + Integer.toHexString(random.nextInt()) + "]",
                    "for=",
                    "for=\"",
                    "\"",
                    "\\",
                    ",",
                    ";",
                    ":",
                    "%",
                    " ",
                    "unknown",
                    "10.0.0.1",
                    "::ffff:",
                    String.valueOf((char) random.nextInt(Character.MAX_VALUE))));
        }
        return text.toString();
    }

    private static List<String> lines(SplittableRandom random) {
        List<String> lines = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            lines.add(invented(random));
        }
        return lines;
    }

    /** What a proxy makes of what a client sends. */
    private static List<String> appended(SplittableRandom random, List<String> sent, String hop) {
        List<String> lines = new ArrayList<>(sent);
        if (random.nextBoolean()) {
            lines.add(hop);
        } else {
            int last = lines.size() - 1;
            lines.set(last, lines.get(last) + ", " + hop);
        }
        return lines;
    }

    @Test
    void H3_aClientHasOneKeyWhateverItInvents() {
        Seed.forAll(1, random -> {
            Set<String> keys = new HashSet<>();
            for (int i = 0; i < HEADERS; i++) {
                List<String> sent = lines(random);
                keys.add(ClientAddress.ofPeer().key("203.0.113.9", name -> sent));
                List<String> proxied = appended(random, sent, "203.0.113.9");
                keys.add(ClientAddress.behind(1).key("10.0.0.1", name -> proxied));
                keys.add(ClientAddress.behind("10.0.0.0/8").key("10.0.0.1", name -> proxied));
                keys.add(ClientAddress.behind("10.0.0.0/8").key("203.0.113.9", name -> sent));
                List<String> forwarded = appended(random, sent, "for=\"203.0.113.9:80\";proto=https");
                keys.add(ClientAddress.behind(1).reading(Header.FORWARDED).key("10.0.0.1", name -> forwarded));
            }
            assertEquals(Set.of("203.0.113.9"), keys);
        });
    }

    @Test
    void H3_brokenTwin_theFirstHopIsWhatTheClientInvents() {
        Seed.forAll(1, random -> {
            Set<String> keys = new HashSet<>();
            for (int i = 0; i < HEADERS; i++) {
                keys.add(appended(random, lines(random), "203.0.113.9").get(0).split(",", -1)[0]);
            }
            assertTrue(keys.size() > HEADERS / 2, keys.size() + " keys for one client");
        });
    }

    @Test
    void H3_K6_noInputThrowsAndKeysAreShort() {
        Seed.forAll(1, random -> {
            for (int i = 0; i < HEADERS; i++) {
                List<String> sent = lines(random);
                ClientAddress addresses = Seed.oneOf(
                        random,
                        ClientAddress.behind(random.nextInt(5)),
                        ClientAddress.behind("0.0.0.0/0", "::/0"),
                        ClientAddress.behind("0.0.0.0/0", "::/0").reading(Header.FORWARDED),
                        ClientAddress.behind(2).reading(Header.FORWARDED));
                String key = addresses.key(Seed.oneOf(random, "10.0.0.1", invented(random)), name -> sent);
                assertTrue(key.matches("[0-9a-f.:/]{4,24}|unknown"), key);
            }
        });
    }
}
