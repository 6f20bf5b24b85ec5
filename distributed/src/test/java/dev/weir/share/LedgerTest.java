package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class LedgerTest {
    private static final String HEAD =
            "weir-share 1 epoch 12\ninstance token granted degraded quota weight demand gone\n";
    private static final Row A = new Row("a", "00000000000000aa", 40, 10, 400, 1, Row.MAX, -1);
    private static final Row B = new Row("b", "00000000000000bb", 30, 0, 400, 3, 55, 11);
    private static final String TEXT =
            HEAD + "a 00000000000000aa 40 10 400 1 - -\nb 00000000000000bb 30 0 400 3 55 11\n";

    private static Row only(String row, String... problems) {
        LedgerParser.Parsed parsed = LedgerParser.parse(HEAD + row + "\n");
        assertEquals(List.of(problems), parsed.problems());
        return parsed.ledger().rows().get(0);
    }

    @Test
    void theTextIsWhatWasWritten() {
        Ledger ledger = new Ledger(12, List.of(B, A));
        assertEquals(TEXT, ledger.text());
        assertEquals(new LedgerParser.Parsed(ledger, List.of()), LedgerParser.parse(TEXT));
        assertEquals(A, ledger.row("a", A.token()));
        assertNull(ledger.row("a", B.token()));
    }

    @Test
    void anEntryThatDoesNotExistIsANewLedger() {
        assertEquals(new LedgerParser.Parsed(new Ledger(Ledger.NEW, List.of()), List.of()), LedgerParser.parse(""));
    }

    @Test
    void Z5_whatIsNoLedgerIsANewOneAndReported() {
        for (String text : List.of(
                "x",
                "\n",
                "{}",
                "weir-share 2 epoch 1\n" + Ledger.COLUMNS + "\n",
                "weir-share 1 epoch -1\n" + Ledger.COLUMNS + "\n",
                "weir-share 1 epoch 01\n" + Ledger.COLUMNS + "\n",
                "weir-share 1 epoch 9999999999999999999\n" + Ledger.COLUMNS + "\n",
                "weir-share 1 epoch 1\r\n" + Ledger.COLUMNS + "\r\n",
                "weir-share 1 epoch 1\na 00000000000000aa 40 10 400 1 - -\n")) {
            assertEquals(
                    new LedgerParser.Parsed(
                            new Ledger(Ledger.NEW, List.of()), List.of("the text is no ledger of version 1")),
                    LedgerParser.parse(text));
        }
    }

    @Test
    void Z5_aFigureThatIsWrongIsTakenForWhatLetsNobodyHaveMore() {
        String a = "a 00000000000000aa ";
        assertEquals(A.withGranted(Row.MAX), only(a + "-1 10 400 1 - -", "line 3: granted is no number"));
        assertEquals(A.withGranted(Row.MAX), only(a + "1e3 10 400 1 - -", "line 3: granted is no number"));
        assertEquals(
                A.withGranted(Row.MAX), only(a + "9999999999999999999 10 400 1 - -", "line 3: granted is no number"));
        assertEquals(
                0, only(a + "40 x 400 1 - -", "line 3: degraded is no number").degraded());
        assertEquals(
                Row.MAX,
                only(a + "40 10 -4 1 - -", "line 3: quota is no number").quota());
        assertEquals(
                0, only(a + "40 10 400 -1 - -", "line 3: weight is no number").weight());
        assertEquals(
                0,
                only(a + "40 10 400 9999999999 - -", "line 3: weight is too large")
                        .weight());
        assertEquals(
                Row.MAX,
                only(a + "40 10 400 1 NaN -", "line 3: demand is no number").demand());
        assertEquals(
                -1, only(a + "40 10 400 1 - x", "line 3: gone is no number").gone());
        assertEquals(12, only(a + "40 10 400 1 - 99").gone(), "no later than now");
    }

    @Test
    void Z5_aLineThatIsNoRowIsIgnoredAndReported() {
        for (String line : List.of("", " ", "a", "a b 1 1 1 1 1 1", "a/b 00000000000000aa 1 1 1 1 1 1", "..")) {
            LedgerParser.Parsed parsed = LedgerParser.parse(HEAD + line + "\n");
            assertEquals(List.of("line 3 is no row"), parsed.problems());
            assertEquals(List.of(), parsed.ledger().rows());
        }
        assertEquals(
                List.of("the last line does not end"),
                LedgerParser.parse(HEAD + "a").problems());
        assertEquals(
                16, LedgerParser.parse(HEAD + "x\n".repeat(1_000)).problems().size());
    }

    @Test
    void Z5_twoRowsOfOneInstanceCountForBoth() {
        String twice = "a 00000000000000aa 40 10 400 1 - -\na 00000000000000aa 30 10 400 1 - -";
        assertEquals(A.withGranted(70), only(twice, "line 4 is a second row of one instance"));
    }

    @Test
    @Tag("proof")
    @Tag("property")
    void Z5_noTextThrowsAndEachIsWrittenAsARightOne() {
        Stress.seconds(0.2, 5, 60).forAll(2_000, random -> {
            StringBuilder text = new StringBuilder(TEXT);
            for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(128));
                    case 1 -> text.deleteCharAt(at);
                    default -> text.insert(at, text.charAt(random.nextInt(text.length())));
                }
            }
            Ledger read = LedgerParser.parse(text.toString()).ledger();
            LedgerParser.Parsed again = LedgerParser.parse(read.text());
            assertEquals(read.rows().size(), again.ledger().rows().size());
            assertEquals(read.text(), again.ledger().text());
            assertTrue(again.problems().isEmpty(), () -> again.problems() + " in\n" + read.text());
        });
    }
}
