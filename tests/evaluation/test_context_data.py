"""Reading WiC and SCWS."""

import lzma

import pytest

from skfly.evaluation import ContextPairs, WordUse, load_context_pairs, read_scws, read_wic

WIC = (
    "board\tN\t2-2\tRoom and board .\tHe nailed boards across the windows .\n"
    "hook\tV\t0-1\tHook a fish .\tHe hooked a snake .\n"
)


def scws_line(left="in <b> Brazil </b> the", right="the <b>nut</b> ( 1.4 )", mean="1.1"):
    ratings = "\t".join(["0.0"] * 10)
    return f"1\tBrazil\tn\tnut\tn\t{left}\t{right}\t{mean}\t{ratings}\n"


@pytest.fixture
def wic(tmp_path):
    for part, gold in (("train", "F\nT\n"), ("dev", "T\nT\n")):
        (tmp_path / part).mkdir()
        (tmp_path / part / f"{part}.data.txt").write_text(WIC)
        (tmp_path / part / f"{part}.gold.txt").write_text(gold)
    return tmp_path


class TestWiC:
    def test_targets_are_found_by_their_place(self, wic):
        data = read_wic(wic / "train" / "train.data.txt")
        assert data == ContextPairs(
            "WiC",
            (
                (
                    WordUse("Room and", "board", "."),
                    WordUse("He nailed", "boards", "across the windows ."),
                    0.0,
                ),
                (WordUse("", "Hook", "a fish ."), WordUse("He", "hooked", "a snake ."), 1.0),
            ),
            graded=False,
        )

    def test_all_parts_of_a_directory(self, wic):
        assert [gold for *_, gold in read_wic(wic).pairs] == [1.0, 1.0, 0.0, 1.0]

    def test_a_part_without_gold_is_left_out(self, wic):
        (wic / "dev" / "dev.gold.txt").unlink()
        with pytest.warns(UserWarning, match=r"dev\.data\.txt is left out: there is no dev\.gold"):
            assert len(read_wic(wic)) == 2

    def test_nothing_there(self, tmp_path):
        with pytest.raises(ValueError, match="has no pairs of WiC; expected files"):
            read_wic(tmp_path)
        with pytest.raises(FileNotFoundError, match="there is no directory or file"):
            read_wic(tmp_path / "none")

    @pytest.mark.parametrize(
        ("data", "gold", "message"),
        [
            (WIC, "T\n", "has 2 lines, but .* has 1"),
            (WIC, "T\nX\n", "line 2 of .* with T or F .*'X'"),
            (WIC.replace("2-2", "2-9"), "T\nF\n", "line 1 of"),
            (WIC.replace("2-2", "2"), "T\nF\n", "line 1 of"),
            (WIC.replace("hook\t", "hook "), "T\nF\n", "line 2 of"),
        ],
    )
    def test_damaged_files(self, wic, data, gold, message):
        (wic / "dev" / "dev.data.txt").write_text(data)
        (wic / "dev" / "dev.gold.txt").write_text(gold)
        with pytest.raises(ValueError, match=message):
            read_wic(wic)


class TestSCWS:
    def test_targets_are_found_by_their_tags(self, tmp_path):
        path = tmp_path / "ratings.txt.xz"
        path.write_bytes(lzma.compress(scws_line().encode()))
        assert read_scws(path) == ContextPairs(
            "SCWS",
            ((WordUse("in", "Brazil", "the"), WordUse("the", "nut", "( 1.4 )"), 1.1),),
            graded=True,
        )

    def test_lines_that_are_not_so_are_left_out(self, tmp_path):
        path = tmp_path / "ratings.txt"
        bad = ["a line\n", scws_line(left="no target"), scws_line(mean="-?"), "\n"]
        path.write_text(scws_line() + "".join(bad))
        with pytest.warns(UserWarning, match=r"3 of 4 lines left out.*\(line 2, 3, 4\)"):
            assert len(read_scws(path)) == 1

    def test_nothing_there(self, tmp_path):
        (tmp_path / "empty.txt").write_text("\n")
        with pytest.raises(ValueError, match="has no pairs of SCWS; expected lines of 18 columns"):
            read_scws(tmp_path / "empty.txt")
        with pytest.raises(FileNotFoundError, match="there is no file"):
            read_scws(tmp_path / "none.txt")


class TestLoad:
    def test_several(self, wic):
        path = wic / "scws.txt"
        path.write_text(scws_line())
        data = load_context_pairs([wic, str(path), ContextPairs("mine", (), graded=True)])
        assert [one.name for one in data] == ["WiC", "SCWS", "mine"]
        assert len(load_context_pairs(wic / "dev" / "dev.data.txt")[0]) == 2

    def test_what_is_none(self):
        with pytest.raises(TypeError, match=r"data must be a directory of WiC.*got int: 3"):
            load_context_pairs(3)
        with pytest.raises(ValueError, match="no datasets were given"):
            load_context_pairs([])
