package dev.weir.config.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatusJsonTest {
    @ParameterizedTest
    @EnumSource
    void isReadAsWritten(InstanceStatus.Result result) {
        InstanceStatus status = new InstanceStatus("a/\"b\u0000\n", "17", result, List.of("one", "", "\u20ac"));
        assertEquals(status, InstanceStatus.ofJson(status.toJson()));
    }

    @Test
    void isOneLineThatPeopleCanRead() {
        InstanceStatus status = new InstanceStatus("a", "17", InstanceStatus.Result.ACCEPTED, List.of());
        assertEquals("{\"instance\":\"a\",\"version\":\"17\",\"result\":\"accepted\",\"errors\":[]}", status.toJson());
    }

    @Test
    void unknownMembersAreIgnored() {
        String json = "{\"more\":{\"a\":[1]},\"instance\":\"a\",\"version\":\"1\",\"result\":\"held\",\"errors\":[]}";
        assertEquals(new InstanceStatus("a", "1", InstanceStatus.Result.HELD, List.of()), InstanceStatus.ofJson(json));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{}",
                "{\"instance\":\"a\",\"version\":\"1\",\"result\":\"happy\",\"errors\":[]}",
                "{\"instance\":{},\"version\":\"1\",\"result\":\"held\",\"errors\":[]}",
                "{\"instance\":\"a\",\"version\":\"1\",\"result\":\"held\",\"errors\":[[\"a\"]]}",
                "{\"instance\":\"a\",\"version\":\"1\",\"result\":\"held\",\"errors\":[\"a\"",
            })
    void somethingElseIsRefused(String json) {
        assertThrows(IllegalArgumentException.class, () -> InstanceStatus.ofJson(json));
    }
}
