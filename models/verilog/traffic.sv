// Covers: what a crossing of two roads can do. `both_red` and `main_green` are reached; `both_green` is not, and that is
// proved.
module traffic (
    input  logic clk,
    input  logic car_waits
);
    typedef enum logic [1:0] { RED, RED_YELLOW, GREEN, YELLOW } light_t;
    light_t main_light = RED, side_light = RED;
    logic [2:0] clocks = 0;
    logic side_is_next = 0;

    always_ff @(posedge clk) begin
        clocks <= clocks + 1;
        if (clocks == 7) begin
            if (main_light == RED && side_light == RED) begin
                if (side_is_next) side_light <= RED_YELLOW;
                else main_light <= RED_YELLOW;
            end
            if (main_light == RED_YELLOW) main_light <= GREEN;
            if (main_light == GREEN && car_waits) main_light <= YELLOW;
            if (main_light == YELLOW) begin
                main_light <= RED;
                side_is_next <= 1;
            end
            if (side_light == RED_YELLOW) side_light <= GREEN;
            if (side_light == GREEN) side_light <= YELLOW;
            if (side_light == YELLOW) begin
                side_light <= RED;
                side_is_next <= 0;
            end
        end
    end

`ifdef FORMAL
    always_comb begin
        both_red: cover (main_light == RED && side_light == RED && side_is_next);
        main_green: cover (main_light == GREEN);
        both_green: cover (main_light == GREEN && side_light == GREEN);
        never_both: assert (main_light == RED || side_light == RED);
    end
`endif
endmodule
