package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.share.Members.Instance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What others have while one that holds too much cannot lower itself. */
final class OverdueTest {
    private final Members members = new Members(10);
    private final SimulatedTime time = new SimulatedTime(() -> {});
    private final Overdue overdue = new Overdue(time);

    private List<Long> shares() {
        return members.instances.values().stream().map(i -> i.share.share()).toList();
    }

    private Instance joined() {
        Instance instance = members.join();
        members.seconds(members.instances.size() == 1 ? 5 : 1);
        return instance;
    }

    @Test
    void Z4_whatAStoppedInstanceKeepsIsLackingToAllOthersAlike() {
        joined();
        Instance stopped = joined();
        stopped.pause(Members.SECOND);
        members.join();
        members.seconds(0.9);
        assertEquals(List.of(3L, 5L, 2L), shares(), "not 4, 5 and 1");
        members.seconds(1);
        assertEquals(List.of(4L, 3L, 3L), shares());
        assertTrue(members.highest <= 10, () -> "the sum was " + members.highest);
    }

    @Test
    void Z4_whatACrashedInstanceHeldIsDividedOnceItsLeaseHasEnded() {
        joined();
        joined().crash();
        members.join();
        members.seconds(1);
        assertEquals(List.of(3L, 2L), shares());
        members.seconds(3);
        assertEquals(List.of(5L, 5L), shares());
    }

    @Test
    void Z5_nobodyIsLoweredForJunkThatItsOwnerCannotReplace() {
        joined();
        Instance stopped = joined();
        stopped.pause(Members.SECOND);
        String text = members.server.value("rate");
        members.server.overwrite("rate", text.replaceFirst("(i1 [0-9a-f]{16}) 5", "$1 x"));
        members.seconds(0.9);
        assertEquals(List.of(5L, 5L), shares());
    }

    private static Row row(int instance, long granted) {
        String id = "i" + instance;
        return new Row(id, id, granted, 0, 100, 1, Row.MAX, -1);
    }

    /* The targets of 100 permits after this time, as the first row sees them. */
    private List<Long> targets(double seconds, long... granted) {
        time.advance((long) (seconds * Members.SECOND));
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < granted.length; i++) {
            rows.add(row(i, granted[i]));
        }
        long[] fair = TargetShares.of(100, rows, 1);
        long[] before = fair.clone();
        long[] targets = overdue.targets(100, rows, rows.get(0), fair, 1);
        assertArrayEquals(before, fair);
        return Arrays.stream(targets).boxed().toList();
    }

    @Test
    void Z4_aRowIsOverdueAfterTheTimeOfTwoRoundsWithoutAChange() {
        List<Long> fair = List.of(25L, 25L, 25L, 25L);
        assertEquals(fair, targets(0, 30, 30, 40, 0));
        assertTrue(overdue.isPending());
        assertEquals(fair, targets(0.2, 30, 30, 40, 0));
        assertEquals(List.of(20L, 20L, 25L, 20L), targets(0.05, 30, 20, 40, 0), "the second one was lowered");
        assertFalse(overdue.isPending());
        assertEquals(fair, targets(0.1, 25, 20, 39, 0), "it moves");
        assertEquals(fair, targets(0.1, 25, 25, 25, 25));
        assertFalse(overdue.isPending());
        assertEquals(fair, targets(1, 25, 25, 39, 0), "counted from the time when it was above its target again");
    }

    @Test
    void Z4_aRowOfItsOwnIsNeverOverdueAndNoTargetIsAboveTheFairOne() {
        assertEquals(List.of(50L, 50L), targets(0, 90, 10));
        assertEquals(List.of(50L, 50L), targets(1, 90, 10));
        assertEquals(List.of(50L, 50L), targets(0, 80, 60));
        assertEquals(
                List.of(50L, 50L),
                targets(1, 80, 60),
                "it lowers itself to the fair one, and no further: nobody could have more");
        assertEquals(List.of(40L, 50L), targets(0, 30, 60));
    }

    @Test
    void Z5_junkInManyRowsDoesNotOverflow() {
        long[] junk = new long[20];
        Arrays.fill(junk, Row.MAX);
        junk[0] = 5;
        assertEquals(5, targets(0, junk).get(0));
        assertEquals(5, targets(1, junk).get(0));
    }
}
