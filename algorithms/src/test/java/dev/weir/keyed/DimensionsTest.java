package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.testkit.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DimensionsTest {
    @Test
    void namesMatterAndTheirOrderDoesNot() {
        Dimensions one = Dimensions.of("url", "/a", "ip", "::1", "user", "ann");
        Dimensions same = Dimensions.of("user", "ann", "url", "/a", "ip", "::1");
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertEquals(0, one.compareTo(same));
        assertEquals("ip=::1, url=/a, user=ann", one.toString());
        assertEquals(List.of("ip", "url", "user"), same.names());
        assertNotEquals(Dimensions.of("user", "ann"), Dimensions.of("tenant", "ann"));
        assertNotEquals(Dimensions.of("user", "ann"), Dimensions.of("user", "ann", "ip", ""));
        assertNotEquals(Dimensions.of("a", "x", "b", "y"), Dimensions.of("a", "y", "b", "x"));
        assertEquals("ann", one.value("user"));
        assertEquals("", one.value("tenant"));
        assertTrue(Dimensions.of("ip", "").has("ip"));
        assertFalse(one.has("tenant"));
    }

    @Test
    void whoeverDoesNotKnowNamesSeesTheOnlyValue() {
        Dimensions one = Dimensions.of("user", "ann");
        assertEquals("ann", Request.forKey(one).key());
        assertSame(one, Request.forKey(one).source());
        Dimensions two = Dimensions.of("user", "ann", "ip", "::1");
        assertSame(two, Request.forKey(two).key());
        assertSame(two, Request.forKey(two).withPermits(3).source());
    }

    @Test
    void whatIsGivenIsChecked() {
        for (String[] wrong : List.of(
                new String[0],
                new String[] {"user"},
                new String[] {"", "ann"},
                new String[] {"user", "ann", ""},
                new String[] {"user", "ann", "", "x"},
                new String[] {"user", "ann", "user", "ben"},
                Collections.nCopies(34, "n").toArray(String[]::new))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Dimensions.of(wrong),
                    () -> List.of(wrong).toString());
        }
        assertEquals(
                "names must differ, were ip twice",
                assertThrows(IllegalArgumentException.class, () -> Dimensions.of("ip", "1", "user", "2", "ip", "1"))
                        .getMessage());
        assertEquals(
                "namesAndValues must be 1 to 16 names, each with its value, were 3 strings",
                assertThrows(IllegalArgumentException.class, () -> Dimensions.of("a", "b", "c"))
                        .getMessage());
    }

    private static Dimensions of(Map<String, String> values, SplittableRandom random) {
        List<String> names = new ArrayList<>(values.keySet());
        Collections.shuffle(names, new Random(random.nextLong()));
        return Dimensions.of(names.stream()
                .flatMap(name -> List.of(name, values.get(name)).stream())
                .toArray(String[]::new));
    }

    private static Map<String, String> values(SplittableRandom random) {
        Map<String, String> values = new TreeMap<>();
        int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 16 : 3);
        while (values.size() < count) {
            values.put("n" + random.nextInt(count + 2), "v" + random.nextInt(3));
        }
        return values;
    }

    /** As maps, which say what equal means. */
    @Test
    @Tag("property")
    void theyAreEqualAndOrderedAsTheirPairsAre() {
        Seed.forAll(2_000, random -> {
            Map<String, String> some = values(random);
            Map<String, String> others = random.nextBoolean() ? some : values(random);
            Dimensions one = of(some, random);
            Dimensions two = of(others, random);
            assertEquals(some.equals(others), one.equals(two));
            assertEquals(some.equals(others), one.compareTo(two) == 0);
            assertEquals(Integer.signum(one.compareTo(two)), -Integer.signum(two.compareTo(one)));
            assertEquals(some.size(), one.size());
            some.forEach((name, value) -> assertEquals(value, one.value(name)));
            if (some.equals(others)) {
                assertEquals(one.hashCode(), two.hashCode());
                assertEquals(one.mixed(7), two.mixed(7));
            }
        });
    }
}
