package dev.weir.config.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceStatusTest {
    private static final Instant SINCE = Instant.parse("2026-11-23T06:00:00.123Z");

    @ParameterizedTest
    @EnumSource
    void isReadAsWritten(InstanceStatus.Result result) {
        InstanceStatus status =
                new InstanceStatus("a/\"b\u0000\n", "17", "17", result, List.of("one", "", "\u20ac"), SINCE);
        assertEquals(status, InstanceStatus.ofJson(status.toJson()));
    }

    @Test
    void isOneLineThatPeopleCanRead() {
        InstanceStatus status =
                new InstanceStatus("a", "17", "17", InstanceStatus.Result.ACCEPTED, List.of(), Instant.EPOCH);
        assertEquals(
                "{\"instance\":\"a\",\"running\":\"17\",\"offered\":\"17\",\"result\":\"accepted\",\"problems\":[],"
                        + "\"since\":\"1970-01-01T00:00:00Z\"}",
                status.toJson());
    }

    @Test
    void unknownMembersAreIgnored() {
        InstanceStatus status = new InstanceStatus("a", "16", "17", InstanceStatus.Result.HELD, List.of("b"), SINCE);
        assertEquals(status, InstanceStatus.ofJson(status.toJson().replace("{", "{\"more\":{\"a\":[1]},")));
    }

    @Test
    void atMostTwentyProblemsAreTold() {
        List<String> problems =
                IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
        InstanceStatus status = new InstanceStatus("a", "1", "2", InstanceStatus.Result.REJECTED, problems, SINCE);
        assertEquals(problems.subList(0, 20), status.problems());
        assertEquals(status, InstanceStatus.ofJson(status.toJson()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{}",
                "{\"instance\":\"a\",\"running\":\"1\",\"offered\":\"1\",\"result\":\"happy\",\"problems\":[],\"since\":\"1970-01-01T00:00:00Z\"}",
                "{\"instance\":{},\"running\":\"1\",\"offered\":\"1\",\"result\":\"held\",\"since\":\"1970-01-01T00:00:00Z\"}",
                "{\"instance\":\"a\",\"running\":\"1\",\"offered\":\"1\",\"result\":\"held\",\"problems\":[[\"a\"]],\"since\":\"1970-01-01T00:00:00Z\"}",
                "{\"instance\":\"a\",\"running\":\"1\",\"offered\":\"1\",\"result\":\"held\",\"problems\":[\"a\"",
                "{\"instance\":\"a\",\"offered\":\"1\",\"running\":\"1\",\"result\":\"held\",\"problems\":[]}",
                "{\"instance\":\"a\",\"offered\":\"1\",\"result\":\"held\",\"since\":\"1970-01-01T00:00:00Z\"}",
                "{\"instance\":\"a\",\"offered\":\"1\",\"running\":\"1\",\"result\":\"held\",\"since\":\"noon\"}",
            })
    void somethingElseIsRefused(String json) {
        assertThrows(IllegalArgumentException.class, () -> InstanceStatus.ofJson(json));
    }
}
