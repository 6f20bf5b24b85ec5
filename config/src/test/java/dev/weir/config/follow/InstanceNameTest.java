package dev.weir.config.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InstanceNameTest {
    @Test
    void instancesAreSpreadEvenly() {
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            tenths[(int) (new InstanceName("pod-" + i, true).place("checkout") / 10)]++;
        }
        for (int tenth : tenths) {
            assertTrue(tenth > 850 && tenth < 1150, () -> Arrays.toString(tenths));
        }
    }

    @Test
    void withoutANameItIsThatOfTheHostAndAnotherOneEachTime() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            InstanceName name = InstanceName.made("shop-7d4b", () -> "unused");
            assertTrue(name.text().matches("shop-7d4b-[0-9a-f]{8}"), name.text());
            assertFalse(name.survives());
            names.add(name.text());
        }
        assertEquals(100, names.size());
    }

    @Test
    void withoutTheVariableTheHostIsAskedAndMayNotKnow() {
        assertTrue(InstanceName.made(null, () -> "box").text().startsWith("box-"));
        assertTrue(InstanceName.made(" ", () -> {
                    throw new UnknownHostException("box");
                })
                .text()
                .startsWith("instance-"));
    }

    @Test
    void aNameThatIsGivenIsKept() {
        assertEquals(new InstanceName("shop-0", true), InstanceName.of("shop-0"));
    }
}
