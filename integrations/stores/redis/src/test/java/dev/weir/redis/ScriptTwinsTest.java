package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scripts with one mistake each fail the contract. */
@Tag("nightly")
@Needs(Server.REDIS)
class ScriptTwinsTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void R1_brokenTwin_aWindowKeepsOneBlockTooFew() {
        fails("oldest % 1 - blocks\n", "oldest % 1 - blocks + 1\n", Twin::bound);
    }

    @Test
    void R1_brokenTwin_aFixedWindowEndsOneMicrosecondLate() {
        fails("now - from < length", "now - from <= length", Twin::model);
    }

    @Test
    void R1_brokenTwin_anEntryOfALogCountsOneMicrosecondLonger() {
        fails("'(%.0f', s.time", "'%.0f', s.time", Twin::retry);
    }

    @Test
    void R1_brokenTwin_onlyTheFirstOfSeveralRatesDecides() {
        fails("if room < least or not tightest then", "if not tightest then", Twin::model);
    }

    @Test
    void R1_brokenTwin_aPacerForgetsTheSlotOfALateRequest() {
        fails("r.missing = r.cost\n", "r.missing = 0\n", Twin::model);
    }

    @Test
    void R1_brokenTwin_aBucketEarnsOneUnitForEachRequest() {
        fails("own - (now - at) * leak\n", "own - (now - at) * leak - 1\n", Twin::model);
    }

    @Test
    void R1_brokenTwin_aWindowThatIsConvertedKeepsOneBlockTooFew() {
        fails("- s.P[5]\n", "- s.P[5] + 2\n", Twin::alternate);
    }

    @Test
    void R4_brokenTwin_timeThatGoesBackCounts() {
        fails("math.max(0, now - s.at)", "math.abs(now - s.at)", Twin::clock);
    }

    @Test
    void W5_brokenTwin_aDebtIsCut() {
        fails("r.ceiling = math.max(r.cap, size)\n", "r.missing = r.cap\n", Twin::alternate);
    }

    @Test
    void W6_brokenTwin_aWindowDropsADebt() {
        fails("if not s then\n    return { leak", "if true then\n    return { leak", Twin::pairs);
    }

    @Test
    void W6_brokenTwin_theDebtBesideASmallLimitHasNoCeilingOfItsOwn() {
        fails("math.max(most * cost, size)", "most * cost", Twin::pairs);
    }

    @Test
    void brokenTwin_aRetryIsRoundedDown() {
        fails("math.ceil((missing", "math.floor((missing", Twin::retry);
    }

    @Test
    void brokenTwin_aRefusedRequestExtendsTheBan() {
        fails("starts = banned == 0 and", "starts =", Twin::model);
    }

    @Test
    void D3_brokenTwin_keysLiveForAMinute() {
        fails("micros / 1000 - micros / 1000 % 1 + MARGIN", "60000 + MARGIN", Twin::timeToLive);
    }

    @Test
    void D8_brokenTwin_anAbsentKeyIsUnusedAfterARestart() {
        fails("elseif since > 0 then", "elseif since < 0 then", Twin::since);
    }

    @Test
    void D10_brokenTwin_numbersOfAnySizeAreBelieved() {
        fails("number >= 0 and number <= MOST and", "number >= 0 and", Twin::junk);
    }

    @Test
    void D10_brokenTwin_whatIsReplacedIsNotTold() {
        fails("healed = junk and 1 or 0", "healed = 0", Twin::junk);
    }

    private static void fails(String right, String wrong, Consumer<Twin> test) {
        Twin twin = new Twin(ScriptBench.mistaken(REDIS.bytes(), right, wrong));
        assertThrows(AssertionError.class, () -> test.accept(twin), wrong);
    }

    private static final class Twin extends ScriptContract {
        private final ScriptBench bench;

        Twin(ScriptBench bench) {
            this.bench = bench;
        }

        @Override
        ScriptBench bench() {
            return bench;
        }

        void model() {
            D1_D2_eachAnswerIsThatOfAnExactModel();
        }

        void bound() {
            R1_noWindowOfTheStoresTimeHasMoreThanTheBound();
        }

        void clock() {
            R4_aClockThatGoesBackAndForthEarnsNothing();
        }

        void alternate() {
            W5_W6_specificationsThatAlternateGrantNoMoreThanTheLargest();
        }

        void pairs() {
            W6_eachPairKeepsWhatWasUsedAndLocksNobodyOut();
        }

        void retry() {
            aRetryIsGrantedExactlyWhenToldAndNotOneMicrosecondEarlier();
        }

        void timeToLive() {
            D3_aKeyLivesAsLongAsItsLimitIsUsedAndNoLongerThanTwice();
        }

        void since() {
            D8_anEvenRateCountsAsUsedUpSinceARestart();
        }

        void junk() {
            D10_anythingElseUnderTheKeyIsReplacedAndTold();
        }
    }
}
