package dev.weir.edges;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A limit before a server takes less than that of a starter of a peer, by a short form of the comparison. */
@Tag("real-time")
class EdgesTest {
    @Test
    void weirAddsLessTimeAndBytesThanEachStarter() throws Exception {
        List<Contender> some = Contenders.all().stream()
                .filter(each -> !each.product().contains("ten lines"))
                .filter(each -> each.limit() == null
                        || (each.limit() == Limit.CONCURRENCY && !each.fields())
                        || (each.limit() == Limit.ADDRESS && each.fields()))
                .toList();
        List<Table.Row> rows = Edges.measured(some, 0.03);
        assertEquals(some.size(), rows.size());
        assertTrue(rows.stream().anyMatch(row -> row.contender().product().contains("starter")));
        assertEquals(List.of(), Table.notAhead(rows));
    }
}
